// The data about a connection attempt that is available when it has ended. Except for the user agent, it contains no
// credentials and no client-chosen text of unlimited length.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { reasonOf } from "../failures/description.ts";
import type { Call, CallTransport } from "../http/call.ts";
import type { StreamRoute } from "../http/router.ts";
import type { ConnectionAttempt } from "../stream/observer.ts";

/** An attempt of which only the head has been read. */
export interface BegunAttempt {
  readonly request: IncomingMessage;
  readonly transport: CallTransport;
  /** Filled while the attempt continues. */
  readonly attempt: ConnectionAttempt;
}

/** One request, or one WebSocket upgrade with the lifetime of its socket. */
export interface AttemptRecord {
  /** Absent if the path is not below a listen path, or the head could not be read. */
  readonly api: string | undefined;
  /** `other` for verbs that HTTP does not define. */
  readonly verb: string;
  /**
   * The route's path with the names of its parameters (`/orders/{id}`), or `/orders/*` for a request that no stream
   * of that API accepted; absent without an API.
   */
  readonly route: string | undefined;
  readonly stream: string | undefined;
  readonly transport: AttemptTransport;
  /** The status of the response; 101 for a socket that opened, 499 if the client left before a response was sent. */
  readonly status: number;
  /** The reason why the gateway itself responded with an error. */
  readonly refusal: string | undefined;
  /** Milliseconds until the response was sent or the connection was closed. */
  readonly duration: number;
  /** Bytes including the head; absent if a connection carries several attempts at a time (HTTP/2). */
  readonly received: number | undefined;
  readonly sent: number | undefined;
  /** The alias of the caller's key, or the first characters of its hash. */
  readonly caller: string | undefined;
  /** Absent if the head could not be read, like the address. */
  readonly requestId: string | undefined;
  readonly remoteAddress: string | undefined;
  /** Whether another worker serves the request, and reports it. */
  readonly isPassedOn: boolean;
}

/** `stream`: a response that is kept open, for events or raw bytes. */
export type AttemptTransport = "http" | "stream" | "websocket";

const verbs: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "QUERY",
  "CONNECT",
  "TRACE",
]);

/** The label value for unknown values: the API of a path that belongs to none, the route of data that is no request. */
export const unknownLabel = "unknown";

/** The status of a request whose client left before the response; not standardised, but widely used. */
const clientLeft = 499;

const countedBytes: unique symbol = /* @__PURE__ */ Symbol("countedBytes");

/** A connection with its bytes until the end of its previous attempt: connections are reused. */
interface CountedSocket extends Socket {
  [countedBytes]?: Bytes;
}

interface Bytes {
  readonly read: number;
  readonly written: number;
}

/** Receives the record of an attempt that has ended. */
export type AttemptEnd = (record: AttemptRecord) => void;

/** Calls `ends` with the record when the attempt has ended. */
export function recordAttempt(begun: BegunAttempt, ends: readonly AttemptEnd[]): void {
  const started = performance.now();
  const { transport } = begun;
  const connection = transport.kind === "http" ? transport.response : transport.socket;
  // The bytes of an HTTP/2 connection belong to several requests.
  const socket = begun.request.httpVersionMajor < 2 ? begun.request.socket : undefined;
  // The event occurs once; removing the listener would cost more.
  connection.on("close", () => {
    const record = new EndedAttempt(begun, performance.now() - started, socket);
    for (const end of ends) end(record);
  });
}

/** What few listeners read is found when it is read. */
class EndedAttempt implements AttemptRecord {
  readonly api: string | undefined;
  readonly verb: string;
  readonly route: string | undefined;
  readonly stream: string | undefined;
  readonly transport: AttemptTransport;
  readonly status: number;
  readonly refusal: string | undefined;
  readonly duration: number;
  readonly received: number | undefined;
  readonly sent: number | undefined;
  readonly #call: Call | undefined;

  constructor(begun: BegunAttempt, duration: number, socket: CountedSocket | undefined) {
    const { call, refusal } = begun.attempt;
    const route = call && findRoute(call);
    this.api = call?.api?.api.definition.id;
    this.verb = verbOf(begun.request.method ?? "");
    this.route = call?.api && call.api.listenPath + (route?.endpoint.path.replace(/^\//, "") ?? "*");
    this.stream = route?.stream;
    this.transport = transportOf(begun);
    this.status = statusOf(begun);
    this.refusal = refusal && (refusal.reason ?? reasonOf(refusal.status));
    this.duration = duration;
    const bytes = socket && countBytes(socket);
    this.received = bytes?.read;
    this.sent = bytes?.written;
    this.#call = call;
  }

  get caller(): string | undefined {
    return this.#call && callerOf(this.#call);
  }

  get requestId(): string | undefined {
    return this.#call?.requestId;
  }

  get remoteAddress(): string | undefined {
    return this.#call?.remoteAddress;
  }

  get isPassedOn(): boolean {
    return this.#call?.isPassedOn === true;
  }
}

/** Returns the bytes of a connection since the end of its previous attempt. */
function countBytes(socket: CountedSocket): Bytes {
  const { bytesRead: read, bytesWritten: written } = socket;
  const before = socket[countedBytes];
  socket[countedBytes] = { read, written };
  return before === undefined
    ? { read, written }
    : { read: read - before.read, written: written - before.written };
}

/** Returns the verb if HTTP defines it, otherwise `other`. */
function verbOf(method: string): string {
  return verbs.has(method) ? method : "other";
}

/**
 * Returns the route for the path and, if possible, the verb; also for attempts that were refused earlier or passed to
 * another worker.
 */
function findRoute({ api, transport, verb, route }: Call): StreamRoute | undefined {
  if (route !== undefined) return route;
  const routes = api?.routes;
  if (routes === undefined) return undefined;
  const [socket] = routes.sockets;
  if (transport.kind === "websocket" && socket !== undefined) return socket;
  const [first] = routes.byVerb.values();
  return routes.byVerb.get(verb) ?? first ?? socket;
}

/** Returns the alias of the key, or eight digits of its hash, which distinguish keys without an alias. */
function callerOf({ caller }: Call): string | undefined {
  const session = caller?.session;
  return session && (session.alias ?? session.id.slice(0, 8));
}

/**
 * Returns how the client receives the response, as far as it is known. The header also tells proxies not to buffer an
 * open response.
 */
export function transportOf({ transport }: BegunAttempt): AttemptTransport {
  if (transport.kind === "websocket") return "websocket";
  const { response } = transport;
  const isHeldOpen =
    response.getHeader("x-accel-buffering") === "no" ||
    String(response.getHeader("content-type")).startsWith("text/event-stream");
  return isHeldOpen ? "stream" : "http";
}

function statusOf({ transport, attempt }: BegunAttempt): number {
  if (transport.kind === "websocket") return attempt.refusal?.status ?? attempt.call?.passedStatus ?? 101;
  const { headersSent, statusCode } = transport.response;
  // If the body of a request breaks off, the error is written directly to the socket, not to the response.
  return headersSent ? statusCode : (attempt.refusal?.status ?? clientLeft);
}
