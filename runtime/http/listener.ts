// What a listener is, and the one that speaks plain HTTP/1.1.

import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";
import { type Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../process/log.ts";
import { GatewayRequest, GatewayResponse } from "./gateway-messages.ts";
import type { OwnMethodTest } from "./incoming/normalise.ts";
import { forgetReader, type ReadingClient, watchReader } from "./listener/unread.ts";
import type { ListenerLimits } from "./listener-limits.ts";

/** What a listener hands over. Requests of HTTP/2 come as those of HTTP/1.1 do. */
export interface ListenerHandlers {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** A request that cannot be read; `code` is Node's, or `smallChunks`. */
  unreadable(code: string | undefined, socket: Duplex): void;
  /** A connection of HTTP/1.1 on which nothing was read or written for the idle time. */
  silent(socket: Duplex): void;
}

/** The code of a body in chunks that carry too little. */
export const smallChunks = "SMALL_CHUNKS";

/** Requests that are read for `handlers`. */
export function requestsOf({ unreadable }: ListenerHandlers): typeof GatewayRequest {
  return class extends GatewayRequest {
    protected override refuse(): void {
      unreadable(smallChunks, this.socket);
    }
  };
}

/** A listener that does not listen yet. */
export interface Listener {
  readonly server: Server;
  readonly scheme: "http" | "https";
  /** Methods that it takes besides those of Node's parser; none by default. */
  readonly isOwnMethod?: OwnMethodTest;
  /** Ends what it holds beside its connections. */
  close?(): void;
}

/** How to listen in another way; it comes with the definition so that a gateway carries only what it asks for. */
export interface ListenerKind {
  /** Throws an `EnvironmentError` where something that it reads is of no use. */
  create(limits: ListenerLimits, handlers: ListenerHandlers, log: Logger): Listener;
}

/** Listens without TLS. */
export const plainListener: ListenerKind = {
  create(limits, handlers) {
    const server = createServer({
      ...httpOptions(limits),
      IncomingMessage: requestsOf(handlers),
      ServerResponse: GatewayResponse,
      shouldUpgradeCallback: isWebSocket,
    });
    // Others are dropped before a byte of them is read.
    server.maxConnections = limits.maxConnections;
    // Node would pass over further ones silently; the gateway counts itself, and refuses.
    server.maxHeadersCount = 0;
    server.on("request", handlers.request);
    server.on("checkContinue", askLater(handlers));
    server.on("upgrade", handlers.upgrade);
    server.timeout = limits.idleTime;
    // Before Node sets the first timeout of a connection, which would be a timer of its own.
    server.prependListener("connection", watchSilence(limits.idleTime));
    server.on("timeout", handlers.silent);
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) =>
      handlers.unreadable(error.code, socket),
    );
    return { server, scheme: "http" };
  },
};

/** How HTTP/1.1 is read, with or without TLS. */
export function httpOptions(limits: ListenerLimits): ServerOptions {
  const { headTime, bodyTime, idleTime, maxHeaderBytes } = limits;
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headTime,
    requestTimeout: headTime + bodyTime,
    keepAliveTimeout: idleTime,
    connectionsCheckingInterval: Math.min(5_000, Math.ceil(headTime / 4)),
    // Of two that contradict each other none is taken: joined they are not a credential, host or type.
    joinDuplicateHeaders: true,
  };
}

/** The reader of the body asks for it: a request that is refused before need not send it. */
export function askLater(handlers: ListenerHandlers): ListenerHandlers["request"] {
  return (request, response) => {
    request.once("resume", () => {
      if (!response.headersSent) response.writeContinue();
    });
    handlers.request(request, response);
  };
}

/** Java's client offers h2c on plain requests; only WebSocket is an upgrade here. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** How often connections are looked at: so many times within the idle time, and at least once in so many milliseconds. */
const looks = { perIdleTime: 8, longest: 30_000 };

/**
 * Lets the timeouts that Node sets on connections of HTTP/1.1 be kept by one timer for all of them: Node's own, which it winds
 * anew with each read, write and answer, cost more than most steps of the chain. Gives what each new connection is passed to.
 */
export function watchSilence(idleTime: number): (socket: Socket) => void {
  const interval = Math.min(looks.longest, Math.max(1, Math.ceil(idleTime / looks.perIdleTime)));
  const connections = new Map<Socket, Connection>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const connection of connections.values()) connection.look(interval);
  };
  // One function for all of them: there may be thousands.
  const forget = function (this: Socket) {
    const connection = connections.get(this);
    if (connection !== undefined) forgetReader(connection);
    connections.delete(this);
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return (socket) => {
    const connection = new Connection(socket);
    connections.set(socket, connection);
    watchReader(connection);
    timer ??= setInterval(look, interval).unref();
    socket.on("close", forget);
  };
}

/** One connection, which gets a timer of its own only for the end of a long silence, and while its client has yet to take something. */
class Connection implements ReadingClient {
  readonly #socket: Socket;
  /** Milliseconds; 0 for none. */
  #timeout = 0;
  /** Bytes of both directions at the last look. */
  #bytes = -1;
  /** Milliseconds of silence, at least. */
  #silence = 0;
  #hasTimer = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Where Node has begun the first wait of the connection.
    this.#timeout = socket.timeout ?? 0;
    if (this.#timeout > 0) this.#setTimer(0);
    socket.setTimeout = (timeout, callback) => {
      // Who wants to be called has Node's own.
      this.#timeout = callback === undefined ? timeout : 0;
      if (callback !== undefined) this.#setTimer(timeout, callback);
      else if (timeout === 0 && this.#hasTimer) this.#setTimer(0);
      return socket;
    };
  }

  /** To be called every `interval` milliseconds. */
  look(interval: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    if (this.#timeout === 0) return;
    // Node's own timer restarts when the client takes a part of what is buffered.
    if (writableLength > 0) {
      if (!this.#hasTimer) this.#setTimer(this.#timeout);
      return;
    }
    const bytes = bytesRead + bytesWritten;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#silence = 0;
      if (this.#hasTimer) this.#setTimer(0);
      return;
    }
    this.#silence += interval;
    const left = this.#timeout - this.#silence;
    // Two looks before its end, as a read in between has to be seen before the timer is over.
    if (left <= 2 * interval && !this.#hasTimer) this.#setTimer(Math.max(1, left));
  }

  waiting(): number {
    return this.#socket.writableLength;
  }

  taken(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  cut(): void {
    this.#socket.destroy();
  }

  #setTimer(timeout: number, callback?: () => void): void {
    this.#hasTimer = timeout > 0;
    Socket.prototype.setTimeout.call(this.#socket, timeout, callback);
  }
}
