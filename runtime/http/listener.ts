// The interface of listeners, and the listener for plain HTTP/1.1.

import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";
import { type Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../process/log.ts";
import { GatewayRequest, GatewayResponse } from "./gateway-messages.ts";
import type { OwnMethodTest } from "./incoming/normalise.ts";
import { forgetReader, type ReadingClient, watchReader } from "./listener/unread.ts";
import type { ListenerLimits } from "./listener-limits.ts";

/** The events of a listener. Requests of HTTP/2 have the form of those of HTTP/1.1. */
export interface ListenerHandlers {
  request(request: IncomingMessage, response: ServerResponse): void;
  /** Called for an upgrade, and for CONNECT, which nothing accepts. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Called for a request that cannot be parsed; `code`: Node's error code, or `smallChunks`. */
  unreadable(code: string | undefined, socket: Duplex): void;
  /** Called for an HTTP/1.1 connection without traffic for the idle time. */
  silent(socket: Duplex): void;
}

/** The error code of a body in chunks that carry too little. */
export const smallChunks = "SMALL_CHUNKS";

/** Returns the class of requests that report small chunks to `handlers`. */
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
  /** Whether it accepts a method that Node's parser does not know; absent if there are none. */
  readonly isOwnMethod?: OwnMethodTest;
  /**
   * Ends connections whose responses close before everything was sent. Resolves when it was; their open requests are
   * waited for.
   */
  flush?(): Promise<unknown>;
  /** Releases resources other than its connections. */
  close?(): void;
}

/** Another way to listen. It comes with the definition, so that a gateway contains only what it uses. */
export interface ListenerKind {
  /** Throws an `EnvironmentError` if a file that it reads is unusable. */
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
    // Connections over the limit are dropped before any byte is read.
    server.maxConnections = limits.maxConnections;
    // Node.js would silently ignore headers over its limit; the gateway counts them itself and refuses the request.
    server.maxHeadersCount = 0;
    server.on("request", handlers.request);
    server.on("checkContinue", askLater(handlers));
    server.on("upgrade", handlers.upgrade);
    // Node.js would destroy the connection, with responses to earlier requests.
    server.on("connect", handlers.upgrade);
    server.timeout = limits.idleTime;
    // Runs before Node.js sets the first timeout of a connection, which would create a timer of its own.
    server.prependListener("connection", watchSilence(limits.idleTime));
    server.on("timeout", handlers.silent);
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) =>
      handlers.unreadable(error.code, socket),
    );
    return { server, scheme: "http" };
  },
};

/** Returns how HTTP/1.1 is read, with or without TLS. */
export function httpOptions(limits: ListenerLimits): ServerOptions {
  const { headTime, bodyTime, idleTime, maxHeaderBytes } = limits;
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headTime,
    requestTimeout: headTime + bodyTime,
    keepAliveTimeout: idleTime,
    connectionsCheckingInterval: Math.min(5_000, Math.ceil(headTime / 4)),
    // Contradictory duplicates are joined, and the result is not a valid credential, host or type.
    joinDuplicateHeaders: true,
  };
}

/** Sends `100 Continue` only when the body is read: a client whose request is refused before that need not send it. */
export function askLater(handlers: ListenerHandlers): ListenerHandlers["request"] {
  return (request, response) => {
    request.once("resume", () => {
      if (!response.headersSent) response.writeContinue();
    });
    handlers.request(request, response);
  };
}

/**
 * Whether a request is a WebSocket upgrade. Java's client offers h2c on plain requests, which is ignored, as is each offer of
 * HTTP/1.0 (RFC 9110, section 7.8). Node.js refuses requests without a host only if they are no upgrades.
 */
export function isWebSocket({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === "websocket" && httpVersion === "1.1" && headers.host !== undefined
  );
}

const watched: unique symbol = /* @__PURE__ */ Symbol("watched");

/** A connection whose timeouts are watched. Found by a property: Node.js sets a timeout with each request. */
interface WatchedSocket extends Socket {
  [watched]?: Connection | undefined;
}

/** Connections are checked this many times within the idle time, and at least once in `longest` milliseconds. */
const looks = { perIdleTime: 8, longest: 30_000 };

/**
 * Watches the timeouts of HTTP/1.1 connections with one timer for all of them: Node's own timers, which restart with
 * each read, write and response, cost more than most steps of the chain. Returns the function to call with each new
 * connection.
 */
export function watchSilence(idleTime: number): (socket: Socket) => void {
  const interval = Math.min(looks.longest, Math.max(1, Math.ceil(idleTime / looks.perIdleTime)));
  const connections = new Set<Connection>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const connection of connections) connection.look(interval);
  };
  // Each is one function for all connections: thousands may exist.
  const forget = function (this: WatchedSocket) {
    const connection = this[watched];
    if (connection === undefined) return;
    this[watched] = undefined;
    forgetReader(connection);
    connections.delete(connection);
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const setSilence = function (this: WatchedSocket, timeout: number, callback?: () => void) {
    this[watched]?.setTimeout(timeout, callback);
    return this;
  };
  return (socket: WatchedSocket) => {
    const connection = new Connection(socket);
    socket[watched] = connection;
    socket.setTimeout = setSilence;
    connections.add(connection);
    watchReader(connection);
    timer ??= setInterval(look, interval).unref();
    socket.on("close", forget);
  };
}

/** One connection. It has its own timer only near the end of a long silence, and while data waits for its client. */
class Connection implements ReadingClient {
  readonly #socket: Socket;
  /** Milliseconds; 0 if there is none. */
  #timeout = 0;
  /** Bytes in both directions at the last check. */
  #bytes = -1;
  /** The minimum of milliseconds without traffic. */
  #silence = 0;
  #hasTimer = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node.js may have started the first timeout of the connection.
    this.#timeout = socket.timeout ?? 0;
    if (this.#timeout > 0) this.#setTimer(0);
  }

  /** Does what `setTimeout` of the socket does. With a callback, Node's own timer is used. */
  setTimeout(timeout: number, callback?: () => void): void {
    this.#timeout = callback === undefined ? timeout : 0;
    if (callback !== undefined) this.#setTimer(timeout, callback);
    else if (timeout === 0 && this.#hasTimer) this.#setTimer(0);
  }

  /** To be called every `interval` milliseconds. */
  look(interval: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    if (this.#timeout === 0) return;
    // Node's own timer restarts when the client reads a part of the buffered data.
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
    // Two checks before the end: a read in between must be noticed before the timer ends.
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
