import rhea, {
  type Connection,
  type ConnectionOptions,
  type EventContext,
  type Receiver,
  type Sender,
} from "rhea";
import type { Opened } from "../../component/kept-open.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { GatewayError } from "../../errors.ts";
import { noteServer } from "../../failures/unreachable.ts";
import { limitInbound } from "./inbound-limits.ts";

/** A link, as the client defines it. */
type Link = Receiver | Sender;

/** A link on a connection of its own. If one of them ends, the other ends too. */
export interface OpenLink<L extends Link = Link> extends Opened {
  readonly link: L;
}

/** Milliseconds that a broker may take to accept a connection and open a link. */
const openLimit = 10_000;

/** Milliseconds that the broker may take to close a connection. */
const farewellLimit = 2000;

/** Events that report an open link, and those that report the end of a link, its session or its connection. */
const openEvents = ["receiver_open", "sender_open"] as const;
const endEvents = [
  "connection_error",
  "connection_close",
  "disconnected",
  "protocol_error",
  "error",
  "session_error",
  "session_close",
  "receiver_error",
  "receiver_close",
  "sender_error",
  "sender_close",
] as const;

/**
 * Connects to the first broker on which `attach` can open its link. If it is refused, closes everything and rejects
 * with a `GatewayError` that says what was refused.
 */
export async function openLink<L extends Link>(
  targets: readonly ConnectionOptions[],
  attach: (connection: Connection) => L,
): Promise<OpenLink<L>> {
  let failure: unknown;
  for (const target of targets) {
    try {
      return await openAt(target, attach);
    } catch (error) {
      failure = error; // try the next broker; the failure of the last one is reported
    }
  }
  throw failure;
}

async function openAt<L extends Link>(
  target: ConnectionOptions,
  attach: (connection: Connection) => L,
): Promise<OpenLink<L>> {
  // A container of its own: it receives events without a listener, and a shared one would pass them to other
  // connections.
  const connection = rhea.create_container().create_connection(target);
  const lost = new Promise<string>((resolve) => {
    for (const event of endEvents) connection.on(event, (context: unknown) => resolve(reasonOf(context)));
  });
  limitInbound(connection);
  let fault: unknown;
  connection.on("disconnected", ({ error }: EventContext) => {
    fault = error;
  });
  let isConnected = false;
  connection.on("connection_open", () => {
    isConnected = true;
  });
  connection.connect();
  const link = attach(connection);
  const reason = await refusal(connection, link, lost);
  if (reason === undefined) return { link, lost, close: () => disconnect(connection, lost) };
  await disconnect(connection, lost);
  if (isConnected) throw failureOf("The AMQP broker refused the address", reason, fault);
  const failure = failureOf("The AMQP broker cannot be reached", reason, fault);
  // The types of the client leave out host and port; addresses.ts sets both.
  noteServer(failure.cause, target as unknown as { readonly host: string; readonly port: number });
  throw failure;
}

/** Returns why the link could not be opened; `undefined` once it is open. */
async function refusal(
  connection: Connection,
  link: Link,
  lost: Promise<string>,
): Promise<string | undefined> {
  const opened = new Promise<undefined>((resolve) => {
    // A broker that refuses a link opens it first, without a source or target, and then closes it with the reason.
    const look = () => (link.is_receiver() ? link.source : link.target) && resolve(undefined);
    for (const event of openEvents) connection.on(event, look);
  });
  const answer = Promise.race([opened, lost]);
  return (await settlesWithin(answer, openLimit)) ? answer : "it takes too long";
}

/**
 * Creates an error with the condition of the protocol or the system code. Their texts, and `fault` of the network,
 * are only logged.
 */
function failureOf(message: string, reason: string, fault: unknown): GatewayError {
  const [condition] = /^(?:amqp(?::[\w-]+)+|E[A-Z]+)/.exec(reason) ?? [];
  const description = condition === undefined ? message : `${message} (${condition})`;
  const cause = fault instanceof Error ? fault : Object.assign(new Error(reason), { code: condition });
  return new GatewayError(502, description, { cause });
}

function reasonOf(context: unknown): string {
  const error = errorOf(context);
  if (error === undefined) return "the connection was closed";
  const { condition, description, message, code } = error;
  return [condition ?? code, description ?? message].filter((part) => typeof part === "string").join(": ");
}

/** An error of the client, of the system or of a broker. Each has other fields. */
interface Fault {
  readonly condition?: unknown;
  readonly description?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
}

/**
 * Returns the error of an event. A protocol error is the argument itself; other events carry the object that failed.
 */
function errorOf(context: unknown): Fault | undefined {
  if (context instanceof Error) return context;
  const { error, receiver, sender, session, connection } = context as Partial<EventContext>;
  return error ?? receiver?.error ?? sender?.error ?? session?.error ?? connection?.error;
}

/** Disconnects after the broker has read everything that was sent. Does not wait for a broker that is gone. */
async function disconnect(connection: Connection, lost: Promise<string>): Promise<void> {
  connection.close();
  await settlesWithin(lost, farewellLimit);
  const socket: unknown = Reflect.get(connection, "socket"); // missing in the types of the client
  if (typeof socket === "object" && socket !== null && "destroy" in socket) {
    if (typeof socket.destroy === "function") socket.destroy();
  }
}
