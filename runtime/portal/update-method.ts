// Accepts the method UPDATE, which the contract requires, on HTTP/1.1 connections. Node's parser knows only the
// registered methods and rejects a connection at the first letter that cannot belong to one. Such a connection gets a
// new parser that reads the request again, starting with `PUT`, and the request gets its own method back afterwards. On
// HTTP/2, Node accepts any method.

import type { ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { OwnMethodTest } from "../http/incoming/normalise.ts";
import type { ListenerHandlers, ListenerKind } from "../http/listener.ts";

/** The beginning of these requests. */
const openingText = "UPDATE /api/portal/";
const opening = /* @__PURE__ */ Buffer.from(openingText);
const methodLength = "UPDATE".length;
/** The maximum number of bytes kept of a connection before reading stops. */
const mostWaiting = 64 * 1024;
const unknownMethod = "HPE_INVALID_METHOD";

/** Node's error for bytes that its parser rejects. */
interface ParserError extends NodeJS.ErrnoException {
  /** The last packet. */
  readonly rawPacket?: Buffer;
  /** The position in the packet after the letter that no method has. */
  readonly bytesParsed?: number;
}

/**
 * Listens as `kind` does, and also accepts requests that begin with `UPDATE /api/portal/… HTTP/1.1`, once the earlier
 * requests on the connection are answered. The first packet has to contain the line up to that path; other unknown
 * methods are rejected as before. All limits of the listener apply, because its own server reads these requests.
 */
export function withUpdateMethod(kind: ListenerKind): ListenerKind {
  return {
    create(limits, handlers, log) {
      const connections = new Connections(handlers);
      const listener = kind.create(limits, connections.handlers, log);
      connections.follow(listener.server, listener.scheme === "https" ? "secureConnection" : "connection");
      return { ...listener, isOwnMethod };
    },
  };
}

/** Accepts the same requests on HTTP/2 as on HTTP/1.1. */
const isOwnMethod: OwnMethodTest = (method, target) => `${method} ${target}`.startsWith(openingText);

type Listener = (...args: unknown[]) => void;

/** The connections of a listener, with the state that Node does not keep. */
class Connections {
  /** The handlers, which receive requests that were read as PUT with their own method. */
  readonly handlers: ListenerHandlers;
  /** Connections whose next request is an UPDATE. Clients cannot mark a connection themselves. */
  readonly #marked = new WeakSet<Duplex>();
  /** The last response of each connection. Responses end in the order of their requests. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  /** The listeners that Node's HTTP/1.1 server added to each connection. */
  readonly #listeners = new WeakMap<Duplex, readonly (readonly [string | symbol, Listener])[]>();
  /** The packets of connections that wait for a response to end. */
  readonly #waiting = new WeakMap<Duplex, Buffer[]>();

  constructor(handlers: ListenerHandlers) {
    this.handlers = {
      request: (request, response) => {
        // HTTP/2 connections are never marked.
        const { socket } = request;
        this.#answers.set(socket, response);
        if (this.#marked.delete(socket)) {
          if (request.httpVersion !== "1.1") {
            handlers.unreadable(unknownMethod, socket);
            return;
          }
          request.method = "UPDATE";
        }
        handlers.request(request, response);
      },
      upgrade: (request, socket, head) => {
        if (this.#marked.delete(socket)) handlers.unreadable(unknownMethod, socket);
        else handlers.upgrade(request, socket, head);
      },
      unreadable: (code, socket) => {
        this.#marked.delete(socket);
        handlers.unreadable(code, socket);
      },
      silent: handlers.silent,
    };
  }

  /**
   * Records the listeners that a server adds to accepted connections, and handles connections that its parser rejects.
   */
  follow(server: Server, event: "connection" | "secureConnection"): void {
    // Find Node's own listener by its name, because others may precede it.
    const accept = server
      .listeners(event)
      .map(asListener)
      .find(({ name }) => name === "connectionListener");
    const refusers = server.listeners("clientError").map(asListener);
    if (accept === undefined) throw new TypeError("a server of HTTP accepts connections");
    const acceptNoting = (socket: Socket) => {
      const before = new Map(socket.eventNames().map((name) => [name, socket.listenerCount(name)]));
      accept.call(server, socket);
      const added = socket.eventNames().flatMap((name) =>
        socket
          .rawListeners(name)
          .slice(before.get(name) ?? 0)
          .map((each) => [name, asListener(each)] as const),
      );
      this.#listeners.set(socket, added);
    };
    server.removeListener(event, accept);
    server.prependListener(event, acceptNoting);
    server.removeAllListeners("clientError");
    server.on("clientError", (error: ParserError, socket: Socket) => {
      if (this.#take(error, socket, acceptNoting)) return;
      for (const refuse of refusers) refuse.call(server, error, socket);
    });
  }

  /** Returns whether the connection continues. */
  #take(error: ParserError, socket: Socket, accept: (socket: Socket) => void): boolean {
    const { code, rawPacket } = error;
    const waiting = this.#waiting.get(socket);
    if (waiting !== undefined) {
      if (code !== unknownMethod || rawPacket === undefined) {
        this.#waiting.delete(socket);
        return false;
      }
      // The parser stays in its failed state and rejects every packet.
      waiting.push(rawPacket);
      // Keep reading until then, to notice if the client disconnects.
      if (sizeOf(waiting) > mostWaiting) socket.pause();
      return true;
    }
    const bytes = readOpening(error);
    if (bytes === undefined) return false;
    const answer = this.#answers.get(socket);
    if (answer === undefined || answer.closed) {
      this.#readAgain(socket, [bytes], accept);
      return true;
    }
    const kept = [bytes];
    this.#waiting.set(socket, kept);
    answer.once("close", () => {
      if (this.#waiting.delete(socket)) this.#readAgain(socket, kept, accept);
    });
    return true;
  }

  /** Gives a connection a new parser for `packets`, which begin with `UPDATE`, and for the bytes that follow. */
  #readAgain(socket: Socket, packets: readonly Buffer[], accept: (socket: Socket) => void): void {
    // The last response ended the connection, or the client has disconnected.
    if (!socket.writable || !socket.readable) return;
    socket.pause();
    for (const [name, listener] of this.#listeners.get(socket) ?? []) {
      socket.removeListener(name, listener);
      // As if the connection was closed: this frees the former parser and its timeouts.
      if (name === "close") listener.call(socket);
    }
    // Cancel the keep-alive timeout that Node started after the last response.
    socket.setTimeout(0);
    const [first = Buffer.alloc(0), ...others] = packets;
    for (const packet of others.toReversed()) socket.unshift(packet);
    socket.unshift(first.subarray(methodLength));
    socket.unshift(Buffer.from("PUT"));
    this.#marked.add(socket);
    accept(socket);
    socket.resume();
  }
}

/** Returns the packet from the start of such a request; `undefined` if it contains none. */
function readOpening({ code, rawPacket, bytesParsed = 0 }: ParserError): Buffer | undefined {
  if (code !== unknownMethod || rawPacket === undefined) return undefined;
  // Methods begin with U, but none begins with UP.
  const at = bytesParsed - 1;
  const bytes = rawPacket.subarray(Math.max(at, 0));
  if (at < 0 || !bytes.subarray(0, opening.length).equals(opening)) return undefined;
  // Reject other words that end in UPDATE, such as PUPDATE.
  return isLetter(rawPacket[at - 1]) ? undefined : bytes;
}

function sizeOf(packets: readonly Buffer[]): number {
  return packets.reduce((size, { length }) => size + length, 0);
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && /[A-Za-z]/.test(String.fromCharCode(byte));
}

/** Casts a listener to a function that accepts the arguments of any event. */
function asListener(listener: unknown): Listener {
  return listener as Listener;
}
