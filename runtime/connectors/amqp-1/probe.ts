import rhea, { type Connection, type ConnectionOptions } from "rhea";
import { parseAmqpAddresses } from "../../component/amqp-addresses.ts";
import type { Probing } from "../../probe/probe.ts";
import { type ProbedAddress, probeAddresses } from "../../probe/probe-address.ts";
import { ProbeFailure } from "../../probe/probe-failures.ts";
import { tlsOptions } from "../../process/tls.ts";
import { type Amqp1Address, targetsOf } from "./addresses.ts";

/** The options of `amqp_1` that the probe reads: how to connect. */
export type Amqp1ProbeOptions = Amqp1Address;

/**
 * Logs in. Reading and writing stay untested: that would require a link, for which brokers such as RabbitMQ create
 * the queue that its address names.
 */
export async function probeAmqp1(options: Amqp1ProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "urls", "tls", "sasl")) return;
  const targets = targetsOf(options);
  if (!(await probeAddresses(addressesOf(options), probing))) return;
  await probing.open(
    "login",
    () => logIn(targets),
    async (connection) => connection.close(),
  );
  probing.skip("address", "brokers may create what is missing on demand");
}

function addressesOf({ urls, tls: block }: Amqp1Address): readonly ProbedAddress[] {
  const tls = tlsOptions(block);
  return parseAmqpAddresses(urls).map(({ url: { hostname, port, protocol } }) => {
    const isEncrypted = tls !== undefined || protocol === "amqps:";
    return {
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || (isEncrypted ? 5671 : 5672)),
      ...(isEncrypted && { tls: tls ?? { rejectUnauthorized: true } }),
    };
  });
}

/** Logs in to the first broker that accepts the login. */
async function logIn(targets: readonly ConnectionOptions[]): Promise<Connection> {
  let failure: unknown;
  for (const target of targets) {
    try {
      return await connect(target);
    } catch (error) {
      failure = error; // try the next broker; the failure of the last one is reported
    }
  }
  throw failure;
}

function connect(target: ConnectionOptions): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  // A container of its own, because it receives events without a listener, including those of other connections.
  const connection = rhea.create_container().create_connection(target);
  connection.on("connection_open", () => resolve(connection));
  for (const event of ["connection_error", "connection_close", "disconnected", "protocol_error", "error"]) {
    connection.on(event, (context: unknown) => reject(understand(context)));
  }
  connection.connect();
  return promise;
}

/** Explains the end of a connection, which the client reports as an error or as a context that holds one. */
function understand(context: unknown): unknown {
  const error = context instanceof Error ? context : held(context, "error");
  const { condition = "", message = "" } = Object(error) as { condition?: string; message?: string };
  if (/unauthorized|not-allowed/.test(condition) || /authenticat|No suitable mechanism/i.test(message)) {
    return new ProbeFailure("authentication", "the broker does not accept the login", {
      advice: "Correct `sasl`, or the user and password in `urls`",
    });
  }
  if (error instanceof Error && "code" in error) return error;
  return new ProbeFailure("refused", "the broker closes the connection", {
    advice: "Check that it speaks AMQP 1.0 on this port, and whether it requires a login",
  });
}

function held(context: unknown, name: string): unknown {
  return typeof context === "object" && context !== null ? Reflect.get(context, name) : undefined;
}
