// What a listener has not answered yet, and the turns of requests that came on one connection.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Call } from "../http/call.ts";
import type { ConnectionAttempt } from "../stream/observer.ts";

/** Requests of a connection that wait for their turn before nothing more is read from it. */
const mostWaiting = 16;

/** A request that has had its turn. */
export interface OpenRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Present once its head was read. */
  call: Call | undefined;
  attempt: ConnectionAttempt | undefined;
}

/** A connection of HTTP/1.1. */
interface Connection {
  /** The request that had its turn last; its answer may be over. */
  latest: OpenRequest | undefined;
  /** Responses to requests that wait for their turn; present from the first one on. */
  waiting: Set<ServerResponse> | undefined;
}

/**
 * A client may send requests before it has the answers to earlier ones. Work on those at once would turn their order
 * round (RFC 9112, section 9.3.2, allows it for safe methods only), and give messages to an answer that cannot be
 * written as long as an event stream stands before it. Requests of HTTP/2 are side by side and do not wait.
 */
export class OpenRequests {
  /** By socket, from its first request to its close. */
  readonly #connections = new Map<Duplex, Connection>();
  /** Those of HTTP/2, by their response. */
  readonly #streams = new Map<ServerResponse, OpenRequest>();
  readonly #handle: (open: OpenRequest) => void;
  readonly #forget = forgetIn(this.#connections);

  /** `handle` is called for each request in its turn. */
  constructor(handle: (open: OpenRequest) => void) {
    this.#handle = handle;
  }

  /** Has a request handled when all that came before it on its connection is answered; never, when that ends. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const open: OpenRequest = { request, response, call: undefined, attempt: undefined };
    // Node gives a response its socket when it is the first of the connection; those of HTTP/2 have none.
    if (response.socket === undefined) this.#beginStream(open);
    else {
      const connection = this.#connectionOf(request.socket);
      if (response.socket === null) this.#wait(open, connection);
      else this.#begin(open, connection);
    }
  }

  /** The request of a connection that had its turn last. */
  latest(socket: Duplex): OpenRequest | undefined {
    return this.#connections.get(socket)?.latest;
  }

  /** The response of a connection that has had its turn and is not over. */
  current(socket: Duplex): ServerResponse | undefined {
    const response = this.latest(socket)?.response;
    return response?.closed ? undefined : response;
  }

  /** Calls `then` when nothing that came before on the connection is to be answered. */
  afterAll(socket: Duplex, then: () => void): void {
    const current = this.current(socket);
    if (current === undefined) then();
    else current.once("close", () => this.afterAll(socket, then));
  }

  /** Responses that are not over, with the calls that they answer; those that wait for their turn have none. */
  all(): readonly (readonly [ServerResponse, Call | undefined])[] {
    const streams = [...this.#streams.values()].map(({ response, call }) => [response, call] as const);
    const others = [...this.#connections.values()].flatMap(({ latest, waiting }) => [
      ...(latest === undefined || latest.response.closed ? [] : [[latest.response, latest.call] as const]),
      ...[...(waiting ?? [])].map((response) => [response, undefined] as const),
    ]);
    return [...streams, ...others];
  }

  #beginStream(open: OpenRequest): void {
    const { response } = open;
    if (response.closed) return;
    this.#streams.set(response, open);
    response.once("close", () => this.#streams.delete(response));
    this.#handle(open);
  }

  #begin(open: OpenRequest, connection: Connection): void {
    connection.latest = open;
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
      // Node is not done with handing the connection over.
      process.nextTick(() => this.#begin(open, connection));
    });
  }

  #connectionOf(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { latest: undefined, waiting: undefined };
    this.#connections.set(socket, connection);
    socket.on("close", this.#forget);
    return connection;
  }
}

/**
 * Reads no more of a connection. Node resumes it for the body of each request that is read or discarded, and those bodies are
 * complete here: further requests would only add to those that wait.
 */
function holdBack(socket: Socket): void {
  socket.on("resume", pauseAgain).pause();
}

function pauseAgain(this: Socket): void {
  this.pause();
}

/** Takes a connection that closes out of `connections`. There may be thousands, so that all have the same listener. */
export function forgetIn<T>(connections: { delete(connection: T): unknown }): (this: T) => void {
  return function () {
    connections.delete(this);
  };
}
