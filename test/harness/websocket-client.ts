import { once } from "node:events";
import type { Socket } from "node:net";
import { type ClientOptions, WebSocket } from "ws";
import { Queue } from "./queue.ts";
import { type UntilOptions, within } from "./wait.ts";

/** A received message: text frames as strings, binary frames as bytes. */
export type SocketMessage = string | Buffer;

/** The close code and reason of a connection. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** A connected client. */
export interface SocketClient {
  readonly socket: WebSocket;
  /** Resolves when this process has sent the bytes. */
  send(message: SocketMessage): Promise<void>;
  /** Waits for the next message; rejects if the socket closes before one arrives. */
  next(options?: UntilOptions): Promise<SocketMessage>;
  /** Waits for the next `count` messages. */
  take(count: number, options?: UntilOptions): Promise<SocketMessage[]>;
  /** All messages received so far. */
  readonly messages: readonly SocketMessage[];
  /** Resolves when the connection has ended, whichever side ended it. */
  readonly ended: Promise<SocketEnd>;
  /** Closes the connection with the closing handshake. */
  close(): Promise<SocketEnd>;
}

/** A rejected handshake: the server answered the upgrade with an ordinary response. */
export class UpgradeRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the server answered the upgrade with ${status}`);
    this.status = status;
  }
}

/** Connects to a `ws:` or `http:` URL; rejects with {@link UpgradeRefused} if the server refuses the upgrade. */
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

/** Returns the connection of a client, past the library: what is sent while it is corked arrives in one piece. */
export function connectionOf({ socket }: SocketClient): Socket {
  const { _socket: connection }: { _socket?: Socket } = Object(socket);
  if (connection === undefined) throw new Error("the socket has no connection");
  return connection;
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
