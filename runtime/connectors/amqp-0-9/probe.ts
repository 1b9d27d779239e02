import type { ChannelModel } from "amqplib";
import { isFixed, NotTested, type ProbedText, type Probing } from "../../probe/probe.ts";
import { type ProbedAddress, probeAddresses } from "../../probe/probe-address.ts";
import { causesOf, ProbeFailure } from "../../probe/probe-failures.ts";
import { tlsOptions } from "../../process/tls.ts";
import { type AmqpAddress, type AmqpTarget, targetsOf } from "./addresses.ts";
import { type OpenChannel, openChannel } from "./client.ts";

interface Declaration {
  readonly enabled?: boolean;
}

/** The options of `amqp_0_9` that the probe reads. */
export interface Amqp09ProbeOptions extends AmqpAddress {
  /** Of an input. */
  readonly queue?: string;
  readonly queue_declare?: Declaration;
  readonly bindings_declare?: readonly { readonly exchange?: string }[];
  /** Of an output. */
  readonly exchange?: ProbedText;
  readonly exchange_declare?: Declaration;
  readonly key?: ProbedText;
}

/**
 * Logs in and looks up queues and exchanges by passive declarations, which create nothing. Reads and publishes no
 * message, so the rights to do so stay untested: RabbitMQ checks them only when a message is published.
 */
export async function probeAmqp09(options: Amqp09ProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "urls", "tls", "queue", "bindings_declare")) return;
  const targets = targetsOf(options);
  if (
    !(await probeAddresses(
      targets.map((target) => addressOf(target, options)),
      probing,
    ))
  )
    return;
  const { connection } = await probing.open(
    "login",
    () => logIn(targets, probing),
    (opened) => opened.close(),
  );
  if (options.queue === undefined) await probeWriting(connection, options, probing);
  else await probeReading(connection, options.queue, options, probing);
}

async function probeReading(
  connection: ChannelModel,
  queue: string,
  { queue_declare, bindings_declare = [] }: Amqp09ProbeOptions,
  probing: Probing,
): Promise<void> {
  await findQueue(connection, queue, queue_declare, probing);
  for (const { exchange = "" } of bindings_declare)
    await findExchange(connection, exchange, undefined, probing);
  probing.skip("right to read", "RabbitMQ reports it only when something is read");
}

async function probeWriting(
  connection: ChannelModel,
  { exchange = "", exchange_declare, key = "" }: Amqp09ProbeOptions,
  probing: Probing,
): Promise<void> {
  if (!isFixed(exchange)) probing.skip("exchange", "it is computed from each message");
  else if (exchange !== "") await findExchange(connection, exchange, exchange_declare, probing);
  // The default exchange routes messages to the queue that the key names.
  else if (isFixed(key)) await findQueue(connection, key, undefined, probing);
  else probing.skip("queue", "it is computed from each message");
  probing.skip("right to publish", "RabbitMQ reports it only when something is published");
}

async function findQueue(
  connection: ChannelModel,
  queue: string,
  declaration: Declaration | undefined,
  probing: Probing,
): Promise<void> {
  await probing.check(`queue ${queue}`, () =>
    ask(connection, "queue", declaration, (channel) => channel.checkQueue(queue)),
  );
}

async function findExchange(
  connection: ChannelModel,
  exchange: string,
  declaration: Declaration | undefined,
  probing: Probing,
): Promise<void> {
  if (exchange === "") return; // the default exchange always exists
  await probing.check(`exchange ${exchange}`, () =>
    ask(connection, "exchange", declaration, (channel) => channel.checkExchange(exchange)),
  );
}

/** Asks on a channel of its own: the broker closes a channel on which a client asks for something missing. */
async function ask(
  connection: ChannelModel,
  what: "queue" | "exchange",
  declaration: Declaration | undefined,
  question: (channel: OpenChannel["channel"]) => Promise<unknown>,
): Promise<void> {
  const channel = await connection.createChannel();
  let fault: unknown;
  channel.on("error", (error) => {
    fault = error; // the calls themselves only fail because the channel ended
  });
  try {
    await question(channel);
    await channel.close();
  } catch (error) {
    const code = replyCode(fault) ?? replyCode(error);
    if (code === 404 && declaration?.enabled === true)
      throw new NotTested("it does not exist yet; the gateway creates it");
    throw (code === undefined ? undefined : refusals(what)[code]) ?? fault ?? error;
  }
}

function refusals(what: "queue" | "exchange"): Readonly<Record<number, ProbeFailure>> {
  return {
    403: new ProbeFailure("forbidden", "the user may not access it", {
      advice: `Give the user rights to the ${what} in its virtual host`,
    }),
    404: new ProbeFailure("missing", `there is no such ${what} in the virtual host`, {
      advice: `Create the ${what}, correct its name or the virtual host, or declare it with \`${what}_declare\``,
    }),
    405: new ProbeFailure("forbidden", "it is exclusive to another connection", {
      advice: "Use a queue that is not exclusive",
    }),
  };
}

async function logIn(targets: readonly AmqpTarget[], { timeout }: Probing): Promise<OpenChannel> {
  const within = targets.map(({ url, options }) => ({ url, options: { ...options, timeout } }));
  try {
    return await openChannel(within, (connection) => connection.createChannel());
  } catch (error) {
    const code = replyCode(error);
    if (code === 403) {
      throw new ProbeFailure("authentication", "the broker does not accept the login", {
        advice:
          "Correct the user and password in `urls`; the default user is guest, which may connect only from the same host",
      });
    }
    if (!isHostRefused(error)) throw error;
    throw new ProbeFailure("forbidden", "the user may not use the virtual host, or it does not exist", {
      advice: "Correct the path of the address in `urls`, or give the user rights to the virtual host",
    });
  }
}

/**
 * Returns whether the virtual host was refused:
 * the client only reports which frame it received instead of the expected one.
 */
function isHostRefused(error: unknown): boolean {
  return causesOf(error).some(({ message }) => message.startsWith("Expected ConnectionOpenOk; got"));
}

/** Returns the reply code of the broker, which the client includes only in its text. */
function replyCode(error: unknown): number | undefined {
  for (const { message } of causesOf(error)) {
    const [, code] = /(\d{3}) \([A-Z-]+\)/.exec(message) ?? [];
    if (code !== undefined) return Number(code);
  }
  return undefined;
}

function addressOf({ url: text }: AmqpTarget, { tls }: AmqpAddress): ProbedAddress {
  const url = new URL(text);
  const isEncrypted = url.protocol === "amqps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (isEncrypted ? 5671 : 5672)),
    ...(isEncrypted && { tls: tlsOptions(tls) ?? { rejectUnauthorized: true } }),
  };
}
