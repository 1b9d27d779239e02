// The listener with TLS: HTTP/2 for clients that offer it, otherwise HTTP/1.1.

import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { Allowance, answeredFrames } from "../../concurrency/allowance.ts";
import { TimeLimits } from "../../concurrency/time-limits.ts";
import { TransientSet } from "../../concurrency/transient.ts";
import { GatewayError } from "../../errors.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { answerError } from "../answer.ts";
import { GatewayResponse } from "../gateway-messages.ts";
import {
  askLater,
  httpOptions,
  isWebSocket,
  type ListenerHandlers,
  type ListenerKind,
  requestsOf,
  watchSilence,
} from "../listener.ts";
import type { ListenerLimits } from "../listener-limits.ts";
import {
  followCertificates,
  type ListenerCertificates,
  type ListenerTlsBlock,
  readCertificates,
  showCertificate,
} from "./certificates.ts";
import { type Http2Connection, Http2Request, Http2Response, setConnection } from "./http2-messages.ts";
import { forgetReader, type ReadingClient, watchReader } from "./unread.ts";

/**
 * Listens with TLS 1.2 or newer. If client certificates are required, clients without one, or with one that no
 * authority of `client_ca_file` issued, get no response at all.
 */
export function secureListener(block: ListenerTlsBlock): ListenerKind {
  return {
    create(limits, handlers, log) {
      const certificates = readNow(block);
      showCertificate(certificates, block.cert_file, log);
      const server = createSecureServer({
        ...http2Options(limits),
        Http1IncomingMessage: requestsOf(handlers),
        ...clientOptions(block),
        ...certificates.context,
        handshakeTimeout: limits.headTime,
      });
      applyHttp1Limits(server, limits);
      const flush = listenTo(server, limits, handlers);
      const close = followCertificates(block, ({ context }) => server.setSecureContext(context), log);
      return { server, scheme: "https", flush, close };
    },
  };
}

function readNow(block: ListenerTlsBlock): ListenerCertificates {
  try {
    return readCertificates(block);
  } catch (error) {
    throw error instanceof GatewayError ? new EnvironmentError([error.message]) : error;
  }
}

function clientOptions({ client_certificates: clients = "none" }: ListenerTlsBlock): SecureServerOptions {
  return { requestCert: clients !== "none", rejectUnauthorized: clients === "required" };
}

function http2Options(limits: ListenerLimits): SecureServerOptions {
  return {
    allowHTTP1: true,
    ...httpOptions(limits),
    Http1ServerResponse: GatewayResponse,
    // Node.js needs no more of these classes than their constructors.
    Http2ServerRequest: Http2Request as unknown as typeof Http2ServerRequest,
    Http2ServerResponse: Http2Response as unknown as typeof Http2ServerResponse,
    maxHeaderListPairs: limits.maxHeaders + pseudoHeaders,
    settings: {
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: limits.maxHeaderBytes,
      enablePush: false,
    },
    // Requests that are reset immediately cost the server more than the client (CVE-2023-44487).
    streamResetBurst: 200,
    streamResetRate: 20,
    maxSessionInvalidFrames: 50,
    maxSessionRejectedStreams: 50,
  };
}

/** `:method`, `:path`, `:scheme` and `:authority`. */
const pseudoHeaders = 4;

/** Sets options that Node.js reads, according to the types, only for HTTP/1.1 servers. */
function applyHttp1Limits(server: Http2SecureServer, limits: ListenerLimits): void {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = httpOptions(limits);
  Object.assign(server, {
    shouldUpgradeCallback: isWebSocket,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    timeout: limits.idleTime,
    maxHeadersCount: 0,
    maxConnections: limits.maxConnections,
  });
}

/** Returns the function that sends what waits for the clients of HTTP/2, and ends their connections. */
function listenTo(
  server: Http2SecureServer,
  limits: ListenerLimits,
  handlers: ListenerHandlers,
): () => Promise<unknown> {
  const watch = watchSilence(limits.idleTime);
  server.on("secureConnection", (socket: TLSSocket) => {
    if (socket.alpnProtocol !== "h2") watch(socket);
  });
  const shared: Shared = {
    limits,
    bodies: new TimeLimits(limits.bodyTime),
    requests: 0,
    connections: new Set(),
  };
  server.on("session", (session: ServerHttp2Session) => guardSession(session, shared));
  const take =
    (hand: ListenerHandlers["request"]) => (request: IncomingMessage, response: ServerResponse) => {
      if (request instanceof Http2Request) {
        const { stream } = request;
        if (stream.destroyed) return;
        if (shared.requests > limits.maxConnections) {
          request.leave();
          // A client may send a refused request again (RFC 9113, section 8.7).
          stream.close(constants.NGHTTP2_REFUSED_STREAM);
          return;
        }
        // Node.js applies the limit only once the client has acknowledged the settings.
        if (request.headSize > limits.maxHeaderBytes) {
          answerError(response, new GatewayError(431, "Request header is too large"));
          return;
        }
      }
      hand(request, response);
    };
  server.on("request", take(handlers.request));
  server.on("checkContinue", take(askLater(handlers)));
  server.on("upgrade", handlers.upgrade);
  server.on("connect", (request: IncomingMessage, connection: Duplex | ServerResponse, head: Buffer) => {
    if (connection instanceof Socket) handlers.upgrade(request, connection, head);
    else answerError(connection as ServerResponse, new GatewayError(405, "Method not allowed"));
  });
  server.on("timeout", (connection: Socket | ServerHttp2Session) => {
    // HTTP/2 sessions are guarded by `guardSession`.
    if (connection instanceof Socket) handlers.silent(connection);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    // A client whose handshake failed would not understand a response.
    if (/^(?:HPE|ERR_HTTP)_/.test(error.code ?? "")) handlers.unreadable(error.code, socket);
    else socket.destroy();
  });
  return () => Promise.all([...shared.connections].map((connection) => connection.finish()));
}

/** What the HTTP/2 connections of a listener share. */
interface Shared {
  readonly limits: ListenerLimits;
  readonly bodies: TimeLimits;
  /** The number of open requests. */
  requests: number;
  readonly connections: Set<Connection>;
}

/**
 * Ends a session that had no request open for `idleTime` milliseconds, whatever frames it sends, and a session that
 * floods the gateway with frames that request nothing.
 */
function guardSession(session: ServerHttp2Session, shared: Shared): void {
  const { idleTime } = shared.limits;
  const connection = new Connection(session, shared);
  // Node's timer of the server's connections would restart with each frame, and nothing asks for it.
  session.setTimeout(0);
  setConnection(session, connection);
  shared.connections.add(connection);
  const frames = new Allowance(answeredFrames);

  function count(): void {
    if (!frames.spend()) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  watchReader(connection);
  // After GOAWAY, Node.js lets the client finish its requests, and no longer notices the end of the connection.
  session.once("goaway", () => endUnlessAnswered(session, idleTime));
  session.on("ping", count);
  session.on("remoteSettings", count);
  // An error of the client ends its connection, and nothing else.
  session.on("error", () => session.destroy());
  session.once("close", () => {
    connection.stop();
    shared.connections.delete(connection);
    forgetReader(connection);
  });
}

/**
 * Bytes that a client may send between two checks, in addition to its requests and half of what it reads meanwhile,
 * and the number of consecutive checks at which it may send more. A client that extends its window byte by byte makes
 * the gateway send each byte in a frame, which costs the gateway far more than the client.
 */
const mostOverhead = { bytes: 64 * 1024, looks: 3 };

/**
 * A connection with its open requests, and the data that waits for its client: Node.js keeps it by stream until the
 * client extends its window.
 */
class Connection implements ReadingClient, Http2Connection {
  readonly socket: Socket;
  readonly bodies: TimeLimits;
  readonly bodyTime: number;
  received = 0;
  readonly #session: ServerHttp2Session;
  readonly #shared: Shared;
  readonly #open = new TransientSet<ServerHttp2Stream>();
  /** When the last open request ended, in milliseconds. Reading the clock costs far less than restarting a timer. */
  #idleSince = performance.now();
  #idle: NodeJS.Timeout | undefined;
  /** The values at the last check. */
  #before = { taken: 0, overhead: 0 };
  /** Consecutive checks at which data waited and the client had sent too much. */
  #wasteful = 0;

  constructor(session: ServerHttp2Session, shared: Shared) {
    const { bodyTime, idleTime } = shared.limits;
    this.socket = socketOf(session);
    this.bodies = shared.bodies;
    this.bodyTime = bodyTime;
    this.#session = session;
    this.#shared = shared;
    this.#endAfter(idleTime);
  }

  /** Ends the connection in `left` milliseconds if no request is open from now on, and otherwise when it was long idle. */
  #endAfter(left: number): void {
    this.#idle = setTimeout(() => {
      const { idleTime } = this.#shared.limits;
      const idle = this.#open.size > 0 ? 0 : performance.now() - this.#idleSince;
      if (idle >= idleTime) this.#session.close();
      else this.#endAfter(idleTime - idle);
    }, left);
  }

  begin(stream: ServerHttp2Stream): void {
    this.#open.add(stream);
    this.#shared.requests += 1;
  }

  end(stream: ServerHttp2Stream): void {
    if (!this.#open.delete(stream)) return;
    this.#shared.requests -= 1;
    if (this.#open.size === 0) this.#idleSince = performance.now();
  }

  /** The connection is closed. */
  stop(): void {
    clearTimeout(this.#idle);
  }

  /** Ends the connection when its requests are complete. Resolves when everything was sent, or the connection is lost. */
  finish(): Promise<unknown> {
    this.#session.close();
    const { socket } = this;
    if (socket.writableFinished || socket.destroyed) return Promise.resolve();
    return new Promise((sent) => {
      socket.once("finish", sent);
      socket.once("close", sent);
    });
  }

  waiting(): number {
    let waiting = 0;
    for (const stream of this.#open.values()) {
      const { writableLength } = stream;
      waiting += writableLength;
      if (writableLength > 0) cutStalled(stream, this.#shared.limits.idleTime);
    }
    this.#judge(waiting);
    return waiting;
  }

  taken(): number {
    return this.socket.bytesWritten;
  }

  cut(): void {
    this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #judge(waiting: number): void {
    const before = this.#before;
    const { bytesRead, bytesWritten: taken } = this.socket;
    const overhead = bytesRead - this.received;
    const allowed = (taken - before.taken) / 2 + mostOverhead.bytes;
    this.#before = { taken, overhead };
    this.#wasteful = waiting > 0 && overhead - before.overhead > allowed ? this.#wasteful + 1 : 0;
    if (this.#wasteful >= mostOverhead.looks) this.cut();
  }
}

/** Returns the socket of a session. Node.js hides it behind an object whose methods return the socket itself. */
function socketOf(session: ServerHttp2Session): Socket {
  return session.socket.off("close", socketOf);
}

const guarded = /* @__PURE__ */ new WeakSet<ServerHttp2Stream>();

/**
 * Closes a stream whose client reads nothing of the waiting data for `idleTime` milliseconds. To be called when data
 * waits: a timer for each stream would cost as much as the steps of the chain.
 */
function cutStalled(stream: ServerHttp2Stream, idleTime: number): void {
  if (guarded.has(stream)) return;
  guarded.add(stream);
  stream.setTimeout(idleTime, () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}

/** Pings the client every `idleTime` milliseconds, and ends its session if it does not respond. */
function endUnlessAnswered(session: ServerHttp2Session, idleTime: number): void {
  let isAnswered = true;
  const timer = setInterval(() => {
    // `close` may come after the next tick of the timer, and a ping would throw.
    if (session.destroyed) return clearInterval(timer);
    if (!isAnswered) return session.destroy();
    isAnswered = false;
    session.ping((error) => {
      isAnswered = error === null;
    });
  }, idleTime);
  session.once("close", () => clearInterval(timer));
}
