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
import { GatewayError } from "../../errors.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { answerError, lateRequest } from "../answer.ts";
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
import { countReceived, Http2Request, Http2Response, receivedOf } from "./http2-messages.ts";
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
      listenTo(server, limits, handlers);
      const close = followCertificates(block, ({ context }) => server.setSecureContext(context), log);
      return { server, scheme: "https", close };
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
    Http2ServerRequest: Http2Request,
    Http2ServerResponse: Http2Response,
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

function listenTo(server: Http2SecureServer, limits: ListenerLimits, handlers: ListenerHandlers): void {
  const watch = watchSilence(limits.idleTime);
  server.on("secureConnection", (socket: TLSSocket) => {
    if (socket.alpnProtocol !== "h2") watch(socket);
  });
  server.on("session", (session: ServerHttp2Session) => guardSession(session, limits.idleTime));
  let requests = 0;
  const take =
    (hand: ListenerHandlers["request"]) => (request: Http2ServerRequest, response: Http2ServerResponse) => {
      // Node's HTTP/2 classes have the members of those for HTTP/1.1; http2-messages.ts adds what they lack.
      const answer = response as unknown as ServerResponse;
      if (request instanceof Http2Request) {
        const { stream } = request;
        if (requests >= limits.maxConnections) {
          // A client may send a refused request again (RFC 9113, section 8.7).
          stream.close(constants.NGHTTP2_REFUSED_STREAM);
          return;
        }
        requests += 1;
        stream.once("close", () => {
          requests -= 1;
        });
        // Node.js applies the limit only once the client has acknowledged the settings.
        const size = sizeOf(request.rawHeaders);
        countReceived(stream.session, size);
        if (size > limits.maxHeaderBytes) {
          answerError(answer, new GatewayError(431, "Request header is too large"));
          return;
        }
        limitBodyTime(request, answer, limits.bodyTime);
        cutStalled(stream, limits.idleTime);
      }
      hand(request as unknown as IncomingMessage, answer);
    };
  server.on("request", take(handlers.request));
  server.on("checkContinue", take(askLater(handlers)));
  server.on("upgrade", handlers.upgrade);
  server.on("timeout", (connection: Socket | ServerHttp2Session) => {
    // HTTP/2 sessions are guarded by `guardSession`.
    if (connection instanceof Socket) handlers.silent(connection);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    // A client whose handshake failed would not understand a response.
    if (/^(?:HPE|ERR_HTTP)_/.test(error.code ?? "")) handlers.unreadable(error.code, socket);
    else socket.destroy();
  });
}

function sizeOf(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((size, text) => size + text.length, 0);
}

/**
 * Limits the time of a body, like Node's HTTP/1.1 server. The rest of a body is not read after the response (RFC
 * 9113, section 8.1).
 */
function limitBodyTime(request: Http2Request, response: ServerResponse, bodyTime: number): void {
  if (request.stream.endAfterHeaders) return;
  const timer = setTimeout(() => {
    answerError(response, lateRequest(bodyTime));
    request.stream.close(constants.NGHTTP2_NO_ERROR);
  }, bodyTime);
  const stop = () => clearTimeout(timer);
  request.once("end", stop);
  request.stream.once("close", stop);
  // Node.js does this only if nothing of the body was read.
  request.stream.once("finish", () => {
    if (!request.complete) request.stream.close(constants.NGHTTP2_NO_ERROR);
  });
}

/** Closes a stream whose client has read nothing of the waiting data for `idleTime` milliseconds. */
function cutStalled(stream: ServerHttp2Stream, idleTime: number): void {
  stream.setTimeout(idleTime, () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}

/**
 * Ends a session that had no request open for `idleTime` milliseconds, whatever frames it sends, and a session that
 * floods the gateway with frames that request nothing.
 */
function guardSession(session: ServerHttp2Session, idleTime: number): void {
  const open = new Set<ServerHttp2Stream>();
  let timer: NodeJS.Timeout | undefined;
  const reader = new SessionReader(session, open);
  const frames = new Allowance(answeredFrames);

  function waitForRequest(): void {
    timer = setTimeout(() => session.close(), idleTime);
  }

  function count(): void {
    if (!frames.spend()) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  waitForRequest();
  watchReader(reader);
  session.on("stream", (stream) => {
    clearTimeout(timer);
    open.add(stream);
    stream.once("close", () => {
      open.delete(stream);
      if (open.size === 0 && !session.closed) waitForRequest();
    });
  });
  // After GOAWAY, Node.js lets the client finish its requests, and no longer notices the end of the connection.
  session.once("goaway", () => endUnlessAnswered(session, idleTime));
  session.on("ping", count);
  session.on("remoteSettings", count);
  // An error of the client ends its connection, and nothing else.
  session.on("error", () => session.destroy());
  session.once("close", () => {
    clearTimeout(timer);
    forgetReader(reader);
  });
}

/**
 * Bytes that a client may send between two checks, in addition to its requests and half of what it reads meanwhile,
 * and the number of consecutive checks at which it may send more. A client that extends its window byte by byte makes
 * the gateway send each byte in a frame, which costs the gateway far more than the client.
 */
const mostOverhead = { bytes: 64 * 1024, looks: 3 };

/** The data that waits for the client of a session: Node.js keeps it by stream until the client extends its window. */
class SessionReader implements ReadingClient {
  readonly #session: ServerHttp2Session;
  readonly #open: ReadonlySet<ServerHttp2Stream>;
  /** The values at the last check. */
  #before = { taken: 0, overhead: 0 };
  /** Consecutive checks at which data waited and the client had sent too much. */
  #wasteful = 0;

  constructor(session: ServerHttp2Session, open: ReadonlySet<ServerHttp2Stream>) {
    this.#session = session;
    this.#open = open;
  }

  waiting(): number {
    let waiting = 0;
    // The socket is gone before the session emits `close`.
    if (this.#session.destroyed) return waiting;
    for (const stream of this.#open) waiting += stream.writableLength;
    this.#judge(waiting);
    return waiting;
  }

  taken(): number {
    return this.#session.destroyed ? this.#before.taken : this.#session.socket.bytesWritten;
  }

  cut(): void {
    this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #judge(waiting: number): void {
    const before = this.#before;
    const { bytesRead, bytesWritten: taken } = this.#session.socket;
    const overhead = bytesRead - receivedOf(this.#session);
    const allowed = (taken - before.taken) / 2 + mostOverhead.bytes;
    this.#before = { taken, overhead };
    this.#wasteful = waiting > 0 && overhead - before.overhead > allowed ? this.#wasteful + 1 : 0;
    if (this.#wasteful >= mostOverhead.looks) this.cut();
  }
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
