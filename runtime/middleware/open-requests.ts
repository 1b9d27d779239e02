// The pending requests of a listener, and the order of requests that came on one connection.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TransientMap, TransientSet } from "../concurrency/transient.ts";
import type { Call } from "../http/call.ts";
import { type CompletingResponse, GatewayResponse } from "../http/gateway-messages.ts";
import type { ConnectionAttempt } from "../stream/observer.ts";

/** The most waiting requests of a connection; at this number, nothing more is read from it. */
const mostWaiting = 16;

/** A request that is being processed. */
export interface OpenRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Present once the head was parsed. */
  call: Call | undefined;
  attempt: ConnectionAttempt | undefined;
}

/** An HTTP/1.1 connection. */
interface Connection {
  /** The last request that was started, until it and its response are complete. */
  latest: OpenRequest | undefined;
  /** Responses to requests that wait for their turn; present from the first one on. */
  waiting: Set<ServerResponse> | undefined;
}

const connectionOf: unique symbol = /* @__PURE__ */ Symbol("connectionOf");

/** The socket of a connection. Looking the connection up in a map would take half a percent of a request. */
interface RequestSocket extends Duplex {
  [connectionOf]?: Connection | undefined;
}

/**
 * A client may send requests before it has the responses to earlier ones. Processing them concurrently would change
 * their order (RFC 9112, section 9.3.2, allows that for safe methods only), and could assign messages to a response
 * that cannot be written while an event stream precedes it. HTTP/2 requests are independent and do not wait.
 */
export class OpenRequests {
  /** Connections from the first request until they close. */
  readonly #connections = new TransientSet<Connection>();
  /** HTTP/2 requests by response. */
  readonly #streams = new TransientMap<ServerResponse, OpenRequest>();
  readonly #handle: (open: OpenRequest) => void;
  readonly #forget = forgetConnection(this.#connections);
  readonly #forgetStream = (response: ServerResponse) => this.#streams.delete(response);

  /** `handle`: called for each request when it is its turn. */
  constructor(handle: (open: OpenRequest) => void) {
    this.#handle = handle;
  }

  /**
   * Handles a request once all earlier ones of its connection have a response; never if the connection closes first. The
   * parser still reads the rest of a piece of data after that.
   */
  add(request: IncomingMessage, response: ServerResponse): void {
    const open: OpenRequest = { request, response, call: undefined, attempt: undefined };
    // Node.js sets the socket of a connection's first pending response; HTTP/2 responses have none.
    if (response.socket === undefined) this.#beginStream(open);
    else if (!request.socket.destroyed) {
      const connection = this.#connectionOf(request.socket);
      if (response.socket === null) this.#wait(open, connection);
      else this.#begin(open, connection);
    }
  }

  /** Whether a request has arrived on a connection. */
  hasBegun(socket: RequestSocket): boolean {
    return socket[connectionOf] !== undefined;
  }

  /** Returns the last request of a connection that was started, unless it and its response are complete. */
  latest(socket: RequestSocket): OpenRequest | undefined {
    return socket[connectionOf]?.latest;
  }

  /** Returns the response of a connection that was started and is not complete. */
  current(socket: RequestSocket): ServerResponse | undefined {
    const response = this.latest(socket)?.response;
    return response?.closed ? undefined : response;
  }

  /** Calls `then` when no earlier request of the connection is pending. */
  afterAll(socket: RequestSocket, then: () => void): void {
    const current = this.current(socket);
    if (current === undefined) then();
    else current.once("close", () => this.afterAll(socket, then));
  }

  /** Returns the responses that are not complete, with their calls; waiting ones have no call yet. */
  all(): readonly (readonly [ServerResponse, Call | undefined])[] {
    const streams = this.#streams.values().map(({ response, call }) => [response, call] as const);
    const others = this.#connections
      .values()
      .flatMap(({ latest, waiting }) => [
        ...(latest === undefined || latest.response.closed ? [] : [[latest.response, latest.call] as const]),
        ...[...(waiting ?? [])].map((response) => [response, undefined] as const),
      ]);
    return [...streams, ...others];
  }

  #beginStream(open: OpenRequest): void {
    const { response } = open;
    if (response.closed) return;
    this.#streams.set(response, open);
    // Only responses of HTTP/2 have no socket.
    (response as ServerResponse & CompletingResponse).onComplete = this.#forgetStream;
    this.#handle(open);
  }

  #begin(open: OpenRequest, connection: Connection): void {
    connection.latest = open;
    if (open.response instanceof GatewayResponse) open.response.onComplete = release;
    if (!open.response.closed) this.#handle(open);
  }

  #wait(open: OpenRequest, connection: Connection): void {
    const { request, response } = open;
    connection.waiting ??= new Set();
    const { waiting } = connection;
    waiting.add(response);
    if (waiting.size === mostWaiting) holdBack(request.socket);
    response.once("close", () => waiting.delete(response));
    response.once("socket", () => {
      if (waiting.size === mostWaiting) request.socket.off("resume", pauseAgain).resume();
      waiting.delete(response);
      connection.latest = open;
      // Node.js is still assigning the connection to the response.
      process.nextTick(() => this.#begin(open, connection));
    });
  }

  #connectionOf(socket: RequestSocket): Connection {
    const known = socket[connectionOf];
    if (known !== undefined) return known;
    const connection: Connection = { latest: undefined, waiting: undefined };
    socket[connectionOf] = connection;
    this.#connections.add(connection);
    socket.on("close", this.#forget);
    return connection;
  }
}

/**
 * Releases a complete request when its response is. Otherwise each collection of young objects would copy the last request
 * of each connection, which takes most of its time. The rest of a body that is still being sent belongs to its request.
 */
function release(response: ServerResponse, socket: RequestSocket): void {
  const connection = socket[connectionOf];
  if (connection?.latest?.response === response && response.req.complete) connection.latest = undefined;
}

/**
 * Stops reading from a connection. Node.js resumes it for the body of each request that is read or discarded, but
 * those bodies are complete here: further requests would only add to the waiting ones.
 */
function holdBack(socket: Socket): void {
  socket.on("resume", pauseAgain).pause();
}

function pauseAgain(this: Socket): void {
  this.pause();
}

function forgetConnection(connections: TransientSet<Connection>): (this: RequestSocket) => void {
  return function () {
    const closed = this[connectionOf];
    this[connectionOf] = undefined;
    if (closed !== undefined) connections.delete(closed);
  };
}

/** Returns the listener that removes a closed connection. All connections share it, as thousands may exist. */
export function forgetIn<T>(connections: { delete(connection: T): unknown }): (this: T) => void {
  return function () {
    connections.delete(this);
  };
}
