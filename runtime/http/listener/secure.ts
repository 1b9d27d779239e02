// The listener that speaks TLS: HTTP/2 to clients that offer it, else HTTP/1.1.

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
 * Listens with TLS 1.2 or newer. Clients that have to show a certificate and do not, or one that no authority of
 * `client_ca_file` has issued, are not answered at all.
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
    // Requests that are taken back at once cost more than they look like (CVE-2023-44487).
    streamResetBurst: 200,
    streamResetRate: 20,
    maxSessionInvalidFrames: 50,
    maxSessionRejectedStreams: 50,
  };
}

/** `:method`, `:path`, `:scheme` and `:authority`. */
const pseudoHeaders = 4;

/** What Node reads of options for servers of HTTP/1.1 alone; the types do not know that these have it too. */
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
      // Node's classes for HTTP/2 have what those for HTTP/1.1 have; http2-messages.ts adds what they lack.
      const answer = response as unknown as ServerResponse;
      if (request instanceof Http2Request) {
        const { stream } = request;
        if (requests >= limits.maxConnections) {
          // A client may send it again (RFC 9113, section 8.7).
          stream.close(constants.NGHTTP2_REFUSED_STREAM);
          return;
        }
        requests += 1;
        stream.once("close", () => {
          requests -= 1;
        });
        // Node holds clients to it only once they have agreed.
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
    // Sessions of HTTP/2 are guarded by their streams.
    if (connection instanceof Socket) handlers.silent(connection);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Who fails at the handshake would not understand an answer.
    if (/^(?:HPE|ERR_HTTP)_/.test(error.code ?? "")) handlers.unreadable(error.code, socket);
    else socket.destroy();
  });
}

function sizeOf(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((size, text) => size + text.length, 0);
}

/** As Node's HTTP/1.1 server does. What is left of a body whose answer is over is not read (RFC 9113, section 8.1). */
function limitBodyTime(request: Http2Request, response: ServerResponse, bodyTime: number): void {
  if (request.stream.endAfterHeaders) return;
  const timer = setTimeout(() => {
    answerError(response, lateRequest(bodyTime));
    request.stream.close(constants.NGHTTP2_NO_ERROR);
  }, bodyTime);
  const stop = () => clearTimeout(timer);
  request.once("end", stop);
  request.stream.once("close", stop);
  // Node does so where nothing of the body was read.
  request.stream.once("finish", () => {
    if (!request.complete) request.stream.close(constants.NGHTTP2_NO_ERROR);
  });
}

/** Ends a stream whose client has taken nothing of what waits for it in `idleTime` milliseconds. */
function cutStalled(stream: ServerHttp2Stream, idleTime: number): void {
  stream.setTimeout(idleTime, () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}

/**
 * Ends a session that has had no request open for `idleTime` milliseconds, whatever else it says, and one that floods
 * the gateway with frames that ask for nothing.
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
  // Node lets a client that has said goodbye finish its requests, and does not see any more that the connection ends.
  session.once("goaway", () => endUnlessAnswered(session, idleTime));
  session.on("ping", count);
  session.on("remoteSettings", count);
  // What a client breaks ends its connection, which is all that happens.
  session.on("error", () => session.destroy());
  session.once("close", () => {
    clearTimeout(timer);
    forgetReader(reader);
  });
}

/**
 * Bytes that a client may send between two looks, beside its requests and half of what it takes meanwhile, and how often in a
 * row it may send more. A client that gives room for one byte after another has each of them sent as a frame, which costs the
 * gateway far more than the client.
 */
const mostOverhead = { bytes: 64 * 1024, looks: 3 };

/** What waits for the client of a session: Node keeps it by stream until the client gives it room. */
class SessionReader implements ReadingClient {
  readonly #session: ServerHttp2Session;
  readonly #open: ReadonlySet<ServerHttp2Stream>;
  /** At the last look. */
  #before = { taken: 0, overhead: 0 };
  /** Looks in a row at which something waited and the client had sent too much. */
  #wasteful = 0;

  constructor(session: ServerHttp2Session, open: ReadonlySet<ServerHttp2Stream>) {
    this.#session = session;
    this.#open = open;
  }

  waiting(): number {
    let waiting = 0;
    // Its socket is gone before it closes.
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

/** Asks the client every `idleTime` milliseconds whether it is there, and ends the session of one that does not answer. */
function endUnlessAnswered(session: ServerHttp2Session, idleTime: number): void {
  let isAnswered = true;
  const timer = setInterval(() => {
    // Its `close` may come later than the next turn of the timer, and a ping would throw.
    if (session.destroyed) return clearInterval(timer);
    if (!isAnswered) return session.destroy();
    isAnswered = false;
    session.ping((error) => {
      isAnswered = error === null;
    });
  }, idleTime);
  session.once("close", () => clearInterval(timer));
}
