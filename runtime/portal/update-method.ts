// The method UPDATE, as the contract writes it, on connections of HTTP/1.1. Node's parser knows the registered methods only
// and gives a connection up at the first letter that is of none. Here such a connection gets a new parser that reads the
// request once more, from `PUT` on, and the request is called by its own method afterwards. Node reads any method on HTTP/2.

import type { ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { OwnMethodTest } from "../http/incoming/normalise.ts";
import type { ListenerHandlers, ListenerKind } from "../http/listener.ts";

/** How these requests begin, to the letter. */
const openingText = "UPDATE /api/portal/";
const opening = /* @__PURE__ */ Buffer.from(openingText);
const methodLength = "UPDATE".length;
/** Bytes that are kept of a connection before it is read no further. */
const mostWaiting = 64 * 1024;
const unknownMethod = "HPE_INVALID_METHOD";

/** What Node tells of bytes that its parser refuses. */
interface ParserError extends NodeJS.ErrnoException {
  /** What came last, as a whole. */
  readonly rawPacket?: Buffer;
  /** Where in it the letter is that no method has. */
  readonly bytesParsed?: number;
}

/**
 * Listens as `kind` does, and takes requests whose first line is `UPDATE /api/portal/… HTTP/1.1`, once those before them on
 * the connection are answered. The first packet has to hold the line up to there; other unknown methods are refused as
 * before. Whatever limits a listener has hold for them: it is the listener's own server that reads them.
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

/** HTTP/2 takes the same requests as HTTP/1.1. */
const isOwnMethod: OwnMethodTest = (method, target) => `${method} ${target}`.startsWith(openingText);

type Listener = (...args: unknown[]) => void;

/** The connections of a listener, and what is known of each besides what Node knows. */
class Connections {
  /** The handlers, which see requests that were read as PUT under their own method. */
  readonly handlers: ListenerHandlers;
  /** Those whose next request is one of these. Nothing that a client sends makes it one. */
  readonly #marked = new WeakSet<Duplex>();
  /** The last answer of each; answers end in the order of their requests. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  /** What Node's server of HTTP/1.1 listens to on each. */
  readonly #listeners = new WeakMap<Duplex, readonly (readonly [string | symbol, Listener])[]>();
  /** What came on those that wait for an answer. */
  readonly #waiting = new WeakMap<Duplex, Buffer[]>();

  constructor(handlers: ListenerHandlers) {
    this.handlers = {
      request: (request, response) => {
        // That of HTTP/2 is another object for each request, and never marked.
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

  /** Notes what is done with connections that a server accepts, and takes those that its parser gives up. */
  follow(server: Server, event: "connection" | "secureConnection"): void {
    // Node's own, by its name: what watches connections may stand before it.
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

  /** Whether the connection goes on. */
  #take(error: ParserError, socket: Socket, accept: (socket: Socket) => void): boolean {
    const { code, rawPacket } = error;
    const waiting = this.#waiting.get(socket);
    if (waiting !== undefined) {
      if (code !== unknownMethod || rawPacket === undefined) {
        this.#waiting.delete(socket);
        return false;
      }
      // The parser, which stays where it failed, fails at all that comes.
      waiting.push(rawPacket);
      // Before that it is read on, so that a client that leaves is noticed.
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

  /** Gives a connection a new parser for `packets`, which begin with `UPDATE`, and for what follows them. */
  #readAgain(socket: Socket, packets: readonly Buffer[], accept: (socket: Socket) => void): void {
    // The answer before was the last one here, or the client has gone.
    if (!socket.writable || !socket.readable) return;
    socket.pause();
    for (const [name, listener] of this.#listeners.get(socket) ?? []) {
      socket.removeListener(name, listener);
      // As if the connection had ended: the former parser is freed, and its time with it.
      if (name === "close") listener.call(socket);
    }
    // The time to the next request that Node began after the last answer.
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

/** A packet from where such a request begins in it; `undefined` where none does. */
function readOpening({ code, rawPacket, bytesParsed = 0 }: ParserError): Buffer | undefined {
  if (code !== unknownMethod || rawPacket === undefined) return undefined;
  // Methods begin with U, but none with UP.
  const at = bytesParsed - 1;
  const bytes = rawPacket.subarray(Math.max(at, 0));
  if (at < 0 || !bytes.subarray(0, opening.length).equals(opening)) return undefined;
  // PUPDATE is not a method either.
  return isLetter(rawPacket[at - 1]) ? undefined : bytes;
}

function sizeOf(packets: readonly Buffer[]): number {
  return packets.reduce((size, { length }) => size + length, 0);
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && /[A-Za-z]/.test(String.fromCharCode(byte));
}

/** Listeners are called with what their event brings. */
function asListener(listener: unknown): Listener {
  return listener as Listener;
}
