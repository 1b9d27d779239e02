// The gateway's listener; passes every request and upgrade through the chain.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { GatewayError } from "../errors.ts";
import { answerError, answerUpgrade, lateRequest, toAnswerable } from "../http/answer.ts";
import type { ChainStep, StepResult } from "../http/call.ts";
import { type Call, type CallTransport, createCall } from "../http/call.ts";
import { destroyThis } from "../http/gateway-messages.ts";
import type { OwnMethodTest } from "../http/incoming/normalise.ts";
import { type ListenerKind, plainListener, smallChunks } from "../http/listener.ts";
import { type ListenerLimits, logDropped } from "../http/listener-limits.ts";
import { connectionOrigin, type ReadOrigin, requestIdOf, settleHeaders } from "../http/request-origin.ts";
import { beginWork } from "../process/first-work.ts";
import type { Logger } from "../process/log.ts";
import type { ConnectionAttempt, GatewayObserver } from "../stream/observer.ts";
import { noBytes } from "../text/utf8.ts";
import { forgetIn, type OpenRequest, OpenRequests } from "./open-requests.ts";

export interface GatewayServer {
  readonly server: Server;
  readonly scheme: "http" | "https";
  /** Resolves when all requests and sockets that are open now and match `isMeant` have ended. */
  settle(isMeant: (call: Pick<Call, "api">) => boolean): Promise<void>;
  /** Calls `visit` for each open request, and for each open socket that was opened with a credential. */
  visitCalls(visit: (call: Call) => void): void;
  /** Stops accepting connections, and closes each open one after its current response. */
  stopAccepting(): void;
  /** Resolves when every connection is closed; those still open after `deadline` milliseconds are destroyed. */
  close(deadline: number): Promise<void>;
}

export interface GatewayServerOptions {
  readonly chain: ChainStep;
  readonly log: Logger;
  readonly limits: ListenerLimits;
  /** How to listen; without TLS by default. */
  readonly listener?: ListenerKind | undefined;
  /** Reads the origin from the forwarding headers of trusted proxies; none are trusted by default. */
  readonly readOrigin?: ReadOrigin | undefined;
  readonly observer?: GatewayObserver | undefined;
}

/** Creates a server that does not listen yet. */
export function createGatewayServer(options: GatewayServerOptions): GatewayServer {
  const { limits, log, observer, listener = plainListener } = options;
  const requests = new OpenRequests((open) => {
    const { response } = open;
    if (closing) response.setHeader("connection", "close");
    serve(open, { kind: "http", response }, options, opened.isOwnMethod);
  });
  const sockets = new Map<Duplex, Call | PlainCall | undefined>();
  const connections = new Set<Socket>();
  let closing = false;
  const forgetSocket = forgetIn(sockets);
  const forgetConnection = forgetIn(connections);

  const opened = listener.create(
    limits,
    {
      request(request, response) {
        requests.add(request, response);
      },
      upgrade(request, socket, head) {
        const current = requests.current(socket);
        // Not an upgrade: `answerLast` freed the parser of this response.
        if (current?.req === request) return;
        sockets.set(socket, undefined);
        socket.on("close", forgetSocket);
        // Without a listener, a reset connection would end the process.
        socket.on("error", destroyThis);
        // The socket cannot change its protocol in the middle of a response that may never end.
        if (isUnderWay(current)) socket.destroy();
        requests.afterAll(socket, () => {
          if (!socket.writable) return;
          const open: Served = { request, call: undefined, attempt: undefined };
          // An empty `head` would keep the buffer that it was cut from for as long as the socket is open.
          const first = head.length === 0 ? noBytes : head;
          const served = serve(open, { kind: "websocket", socket, head: first }, options, opened.isOwnMethod);
          if (!socket.closed) sockets.set(socket, open.call);
          const keepLess = () => {
            if (open.call !== undefined && sockets.has(socket)) sockets.set(socket, lasting(open.call));
          };
          if (served === undefined) keepLess();
          else void served.then(keepLess);
        });
      },
      silent(socket) {
        // A client may wait for a response as long as it likes, but must read what has been sent.
        const isKeptAlive = requests.hasBegun(socket) && requests.current(socket) === undefined;
        if (isKeptAlive || socket.writableLength > 0) socket.destroy();
      },
      unreadable(code, socket) {
        const current = requests.current(socket);
        const before = requests.latest(socket);
        const brokenOff = before?.request.complete === false ? before : undefined;
        // After the head of a response, further bytes would be read as part of it, or as the response to a later
        // request.
        const isAnswered =
          brokenOff === undefined ? isUnderWay(current) : current === undefined || current.headersSent;
        if (code === "ECONNRESET" || isAnswered) socket.destroy();
        // The response is sent; what the client still sends is discarded until it closes.
        else if (socket.writableEnded) return;
        else if (!socket.writable) socket.destroy();
        else {
          const { headTime, bodyTime } = limits;
          const answer = unreadableAnswer(code, brokenOff === undefined ? headTime : headTime + bodyTime);
          // An error in a body ends a request that is counted already; a client that leaves gets no response.
          if (brokenOff === undefined) observer?.malformed(answer);
          else if (code !== "HPE_INVALID_EOF_STATE") note(brokenOff.attempt, answer);
          // The unreadable bytes belong to the body of the request, or follow it.
          if (current?.req.complete) requests.afterAll(socket, () => answerUpgrade(socket, answer));
          else answerUpgrade(socket, answer);
        }
      },
    },
    log,
  );
  const { server, scheme } = opened;
  logDropped(server, log);
  server.on("connection", (socket: Socket) => {
    beginWork();
    connections.add(socket);
    socket.on("close", forgetConnection);
  });
  const cutAll = () => {
    for (const connection of connections) connection.destroy();
  };

  const all = () => [...requests.all(), ...sockets];

  function stopAccepting(): void {
    closing = true;
    for (const [response] of requests.all()) {
      if (!response.headersSent) response.setHeader("connection", "close");
    }
    if (server.listening) server.close();
  }

  return {
    server,
    scheme,
    async settle(isMeant) {
      const meant = all().filter(([, call]) => call !== undefined && isMeant(call));
      await Promise.all(meant.map(([connection]) => untilClosed(connection)));
    },
    visitCalls(visit) {
      for (const [, call] of all()) if (call !== undefined && "request" in call) visit(call);
    },
    stopAccepting,
    async close(deadline) {
      stopAccepting();
      const cut = setTimeout(cutAll, deadline);
      await opened.flush?.();
      // Repeats, because a kept-alive connection may bring one more request meanwhile.
      for (let open = all(); open.length > 0; open = all()) {
        await Promise.all(open.map(([connection]) => untilClosed(connection)));
      }
      cutAll();
      clearTimeout(cut);
      opened.close?.();
    },
  };
}

/** Whether a response has begun and its end is not known yet. */
function isUnderWay(response: ServerResponse | undefined): boolean {
  return response?.headersSent === true && !response.writableEnded;
}

function note(attempt: ConnectionAttempt | undefined, refusal: GatewayError): void {
  if (attempt !== undefined) attempt.refusal = refusal;
}

function untilClosed(connection: ServerResponse | Duplex): Promise<unknown> {
  return new Promise((gone) => connection.once("close", gone));
}

/** What is kept of a socket without a credential. */
type PlainCall = Pick<Call, "api">;

/**
 * Returns what is kept of a socket while it is open. No step looks again at one without a right that may end, and thousands
 * may be idle: the request of each takes more than 1 KB.
 */
function lasting(call: Call): Call | PlainCall {
  return call.right === undefined ? { api: call.api } : call;
}

/** A request, with the results of processing it. */
type Served = Pick<OpenRequest, "request" | "call" | "attempt">;

/** Passes a request through the chain, and responds if the chain does not. Returns a promise if that takes time. */
function serve(
  served: Served,
  transport: CallTransport,
  options: GatewayServerOptions,
  isOwnMethod: OwnMethodTest | undefined,
): Promise<void> | undefined {
  const { request } = served;
  const { chain, limits, observer, readOrigin = connectionOrigin } = options;
  const isCrowded = request.rawHeaders.length > 2 * limits.maxHeaders;
  served.attempt = observer?.attempt(request, transport);
  const origin = readOrigin(request);
  settleHeaders(request, origin?.requestId);
  const call = isCrowded
    ? tooManyHeaders()
    : origin === undefined || (transport.kind === "websocket" && hasBody(request))
      ? badRequest()
      : createCall(request, transport, origin, isOwnMethod);
  if (call instanceof GatewayError) {
    refuse(served, transport, call);
    return undefined;
  }
  served.call = call;
  if (served.attempt !== undefined) served.attempt.call = call;
  try {
    const result = chain(call);
    if (result === "done") return undefined;
    if (result instanceof Promise) {
      return result.then(
        (settled) => finish(settled, served, call, options),
        (error: unknown) => fail(error, served, call, options),
      );
    }
    finish(result, served, call, options);
  } catch (error) {
    fail(error, served, call, options);
  }
  return undefined;
}

/** A body of an upgrade is refused: it would be read as frames, and others may read it differently. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function finish(result: StepResult, served: Served, call: Call, options: GatewayServerOptions): void {
  if (result === "done") return;
  try {
    const { transport } = call;
    refuse(served, transport, result === "next" ? new GatewayError(404, "not found") : result);
  } catch (error) {
    fail(error, served, call, options);
  }
}

function fail(
  error: unknown,
  served: Served,
  { transport, requestId }: Call,
  { log }: GatewayServerOptions,
): void {
  refuse(served, transport, toAnswerable(error, log, requestId));
}

function refuse({ attempt, request }: Served, transport: CallTransport, error: GatewayError): void {
  note(attempt, error);
  if (transport.kind === "http") answerError(transport.response, error);
  else answerUpgrade(transport.socket, error, requestIdOf(request));
}

/** Returns the error for an unreadable request; `time`: the milliseconds that the client had to send it. */
function unreadableAnswer(code: string | undefined, time: number): GatewayError {
  if (code === "HPE_HEADER_OVERFLOW") return tooManyHeaders();
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return lateRequest(time);
  if (code === smallChunks) return new GatewayError(400, "Chunks of the request body are too small");
  return badRequest();
}

function badRequest(): GatewayError {
  return new GatewayError(400, "Bad request");
}

function tooManyHeaders(): GatewayError {
  return new GatewayError(431, "Request header is too large");
}
