// What is known of an attempt to connect once it is over. Nothing in a record is a credential, or text without bounds
// that its client chose, but for the user agent.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { reasonOf } from "../failures/description.ts";
import type { Call, CallTransport } from "../http/call.ts";
import type { StreamRoute } from "../http/router.ts";
import type { ConnectionAttempt } from "../stream/observer.ts";

/** An attempt of which only the head is known. */
export interface BegunAttempt {
  readonly request: IncomingMessage;
  readonly transport: CallTransport;
  /** Filled while the attempt goes on. */
  readonly attempt: ConnectionAttempt;
}

/** One request, or one WebSocket upgrade with the life of its socket. */
export interface AttemptRecord {
  /** Absent where its path lies under no listen path, or its head could not be read. */
  readonly api: string | undefined;
  /** `other` for verbs that are none of HTTP's. */
  readonly verb: string;
  /**
   * The route's path with the names of its parameters (`/orders/{id}`), or `/orders/*` for what no stream of that API
   * took; absent without an API.
   */
  readonly route: string | undefined;
  readonly stream: string | undefined;
  readonly transport: AttemptTransport;
  /** What the client was told; 101 of a socket that opened, 499 where it left before it was told anything. */
  readonly status: number;
  /** Why the gateway itself answered with an error. */
  readonly refusal: string | undefined;
  /** Until the answer had gone or the connection was cut, in milliseconds. */
  readonly duration: number;
  /** Heads included; absent where connections carry several attempts at once (HTTP/2). */
  readonly received: number | undefined;
  readonly sent: number | undefined;
  /** Alias of the caller's key, or the first characters of its hash. */
  readonly caller: string | undefined;
  /** Absent where the head could not be read, as is the address. */
  readonly requestId: string | undefined;
  readonly remoteAddress: string | undefined;
}

/** `stream`: an answer that is held open, for events or raw bytes. */
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

/** In labels, for what is not known: the API of a path that lies under none, the route of what is not a request. */
export const unknownLabel = "unknown";

/** Told a client that left before it was answered, by no standard but wide custom. */
const clientLeft = 499;

/** Bytes of a connection up to the end of the attempt before: connections are used again. */
const counted = /* @__PURE__ */ new WeakMap<Socket, { readonly read: number; readonly written: number }>();

/** Calls `end` with the record once the attempt is over. */
export function recordAttempt(begun: BegunAttempt, end: (record: AttemptRecord) => void): void {
  const { request, transport } = begun;
  const started = performance.now();
  const { socket } = request;
  const isAlone = request.httpVersionMajor < 2;
  const before = isAlone ? counted.get(socket) : undefined;
  const connection = transport.kind === "http" ? transport.response : transport.socket;
  // The event comes once; removing the listener would cost more.
  connection.on("close", () => {
    // Sessions of HTTP/2 hide their socket.
    const bytes = isAlone ? { read: socket.bytesRead, written: socket.bytesWritten } : undefined;
    if (bytes !== undefined && transport.kind === "http") counted.set(socket, bytes);
    const { call, refusal } = begun.attempt;
    const route = call && findRoute(call);
    end({
      api: call?.api?.api.definition.id,
      verb: verbOf(request.method ?? ""),
      route: call?.api && call.api.listenPath + (route?.endpoint.path.replace(/^\//, "") ?? "*"),
      stream: route?.stream,
      transport: transportOf(begun),
      status: statusOf(begun),
      refusal: refusal && (refusal.reason ?? reasonOf(refusal.status)),
      duration: performance.now() - started,
      received: bytes && bytes.read - (before?.read ?? 0),
      sent: bytes && bytes.written - (before?.written ?? 0),
      caller: call && callerOf(call),
      requestId: call?.requestId,
      remoteAddress: call?.remoteAddress,
    });
  });
}

/** The verb, where HTTP has it. */
function verbOf(method: string): string {
  return verbs.has(method) ? method : "other";
}

/** The route of its path, for its verb where one is; also of what was refused before, or went to another worker. */
function findRoute({ api, transport, verb, route }: Call): StreamRoute | undefined {
  if (route !== undefined) return route;
  const routes = api?.findRoutes()?.value;
  if (routes === undefined) return undefined;
  const [socket] = routes.sockets;
  if (transport.kind === "websocket" && socket !== undefined) return socket;
  const [first] = routes.byVerb.values();
  return routes.byVerb.get(verb) ?? first ?? socket;
}

/** An alias is a name for people; without one, eight digits of the hash tell keys apart. */
function callerOf({ caller }: Call): string | undefined {
  const session = caller?.session;
  return session && (session.alias ?? session.id.slice(0, 8));
}

/** How the client is answered, as far as that is known; this also tells proxies not to buffer what is held open. */
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
  // What breaks off in its body is answered past the response.
  return headersSent ? statusCode : (attempt.refusal?.status ?? clientLeft);
}
