import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";
import { Queue } from "./queue.ts";
import { type UntilOptions, within } from "./wait.ts";

/** A message as it came: text frames as strings, binary ones as bytes. */
export type SocketMessage = string | Buffer;

/** How a connection ended. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** A connected client. */
export interface SocketClient {
  readonly socket: WebSocket;
  /** Resolves when the bytes have left this process. */
  send(message: SocketMessage): Promise<void>;
  /** The next message, awaited; fails when the socket closes before one comes. */
  next(options?: UntilOptions): Promise<SocketMessage>;
  /** The next `count` messages. */
  take(count: number, options?: UntilOptions): Promise<SocketMessage[]>;
  /** Every message so far. */
  readonly messages: readonly SocketMessage[];
  /** Resolves when the connection has ended, whoever ended it. */
  readonly ended: Promise<SocketEnd>;
  /** Closes with the handshake of the protocol. */
  close(): Promise<SocketEnd>;
}

/** A refused handshake: the server answered the upgrade with a plain response. */
export class UpgradeRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the server answered the upgrade with ${status}`);
    this.status = status;
  }
}

/** Connects to a `ws:` or `http:` URL; rejects with {@link UpgradeRefused} when the server declines. */
export async function socket(
  url: string,
  options: ClientOptions = {},
  protocols: readonly string[] = [],
): Promise<SocketClient> {
  const connection = new WebSocket(url.replace(/^http/, "ws"), [...protocols], options);
  const messages = new Queue<SocketMessage>();
  connection.on("message", (bytes: Buffer, isBinary) => messages.push(isBinary ? bytes : bytes.toString()));
  const ended = new Promise<SocketEnd>((resolve) => {
    connection.on("close", (code, reason) => {
      messages.close(`the socket closed with ${code}`);
      resolve({ code, reason: reason.toString() });
    });
  });
  await within(opened(connection), { what: `a socket at ${url}` });
  return {
    socket: connection,
    send: (message) =>
      new Promise((resolve, reject) => {
        connection.send(message, (error) => (error ? reject(error) : resolve()));
      }),
    next: (options) => messages.next({ what: `a message from ${url}`, ...options }),
    take: (count, options) => messages.take(count, options),
    messages: messages.all,
    ended,
    close: () => {
      connection.close();
      return ended;
    },
  };
}

async function opened(connection: WebSocket): Promise<void> {
  const refused = new Promise<never>((_, reject) => {
    connection.on("unexpected-response", (request, response) => {
      request.destroy();
      reject(new UpgradeRefused(response.statusCode ?? 0));
    });
  });
  await Promise.race([once(connection, "open"), refused]);
}
