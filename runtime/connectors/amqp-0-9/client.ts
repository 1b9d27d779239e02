import { Duplex } from "node:stream";
import { type Channel, type ChannelModel, connect } from "amqplib";
import type { Opened } from "../../component/kept-open.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { GatewayError } from "../../errors.ts";
import { noteServer } from "../../failures/unreachable.ts";
import type { AmqpTarget } from "./addresses.ts";

/** A connection to a broker. */
export interface OpenConnection extends Opened {
  readonly connection: ChannelModel;
  /** Returns why the broker ended it, if it gave a reason. */
  fault(): Error | undefined;
  /** Disconnects after the broker has read everything that was sent on `channel`. */
  close(channel?: Channel): Promise<void>;
}

/** A channel on a connection of its own. If one of them ends, the other ends too. */
export interface OpenChannel<C extends Channel = Channel> extends Opened {
  readonly channel: C;
  readonly connection: ChannelModel;
  /** Returns why the broker ended it, if it gave a reason: calls on a channel fail only because of the end. */
  fault(): Error | undefined;
}

/** Milliseconds that the broker may take to close a connection. */
export const farewellLimit = 2000;

/** Connects to the first broker that answers; rejects with a `GatewayError` if none does. */
export async function openConnection(targets: readonly AmqpTarget[]): Promise<OpenConnection> {
  const connection = await connectFirst(targets);
  let fault: Error | undefined;
  // Without a listener, an error would end the process.
  connection.on("error", (error: Error) => {
    fault = error;
  });
  writeByTurn(connection);
  const lost = new Promise<string>((resolve) => {
    connection.on("close", () => resolve(reasonOf(fault)));
  });
  return { connection, lost, fault: () => fault, close: (channel) => disconnect(connection, channel) };
}

/** Returns the reason for the end of a connection or channel. */
export function reasonOf(fault: Error | undefined): string {
  return fault?.message ?? "the connection was closed";
}

/**
 * Connects to the first broker that answers, opens a channel and calls `prepare` with it. If anything is refused,
 * closes everything and rejects with a `GatewayError` that says what was refused.
 */
export async function openChannel<C extends Channel>(
  targets: readonly AmqpTarget[],
  create: (connection: ChannelModel) => Promise<C>,
  prepare: (channel: C) => Promise<void> = async () => undefined,
): Promise<OpenChannel<C>> {
  const opened = await openConnection(targets);
  const { connection } = opened;
  let ended: Error | undefined;
  const fault = () => ended ?? opened.fault();
  try {
    const channel = await create(connection);
    channel.on("error", (error: Error) => {
      ended = error;
    });
    const lost = new Promise<string>((resolve) => {
      channel.on("close", () => resolve(reasonOf(fault())));
    });
    await prepare(channel);
    return { channel, connection, lost, fault, close: () => opened.close(channel) };
  } catch (error) {
    await opened.close();
    throw amqpFailure(error, "RabbitMQ refused a channel");
  }
}

/**
 * Converts a failure of the client to a `GatewayError` for callers, with the code of the broker but without its text.
 */
export function amqpFailure(error: unknown, message: string): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = codeOf(error);
  return new GatewayError(502, code === undefined ? message : `${message} (${code})`, { cause: error });
}

/** Returns `404 NOT_FOUND` from the broker's text, or the code of a system error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, code, name] = /(\d{3}) \(([A-Z-]+)\)/.exec(error.message) ?? [];
  if (name !== undefined) return `${code} ${name.replaceAll("-", "_")}`;
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

async function connectFirst(targets: readonly AmqpTarget[]): Promise<ChannelModel> {
  let failure: unknown;
  for (const { url, options } of targets) {
    try {
      return await connect(url, options);
    } catch (error) {
      const { hostname, port, protocol } = new URL(url);
      noteServer(error, { host: hostname, port: port || (protocol === "amqps:" ? 5671 : 5672) });
      failure = error; // try the next broker; the failure of the last one is reported
    }
  }
  throw amqpFailure(failure, "RabbitMQ cannot be reached");
}

/** Disconnects after the broker has read everything that was sent. Does not wait for a broker that is gone. */
async function disconnect(connection: ChannelModel, channel?: Channel): Promise<void> {
  await settlesWithin(closeBoth(connection, channel), farewellLimit);
  destroySocket(connection);
}

async function closeBoth(connection: ChannelModel, channel: Channel | undefined): Promise<void> {
  await channel?.close().catch(() => undefined); // already closed if it was lost
  await connection.close();
}

/** Destroys the socket. The client itself ends it only when the broker agrees. */
function destroySocket(connection: ChannelModel): void {
  socketOf(connection)?.destroy();
}

/**
 * Combines all frames that the client writes in one turn of the event loop to one write to the socket. The client
 * itself writes each message and each acknowledgement on its own.
 */
function writeByTurn(connection: ChannelModel): void {
  const socket = socketOf(connection);
  if (socket === undefined) return;
  const write = socket.write.bind(socket);
  const uncork = () => socket.uncork();
  const collect = (frames: Uint8Array): boolean => {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork);
    }
    return write(frames);
  };
  socket.write = collect;
}

/** Returns the socket, or its TLS wrapper. It is private in the client. */
function socketOf({ connection }: ChannelModel): Duplex | undefined {
  const stream: unknown = Reflect.get(connection, "stream");
  return stream instanceof Duplex ? stream : undefined;
}
