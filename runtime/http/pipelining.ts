// The requests of one connection of HTTP/1.1, one after another.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Requests of a connection that wait for their turn before nothing more is read from it. */
const mostWaiting = 16;

/**
 * A client may send requests before it has the answers to earlier ones. Whoever works on those at once turns their order
 * round (RFC 9112, section 9.3.2, allows it for safe methods only), and gives messages to an answer that cannot be
 * written as long as an event stream stands before it. Requests of HTTP/2 are side by side and do not wait.
 */
export class Pipelining {
  readonly #current = new WeakMap<Duplex, ServerResponse>();
  readonly #waiting = new WeakMap<Duplex, number>();

  /** Has `handle` look at a request when all that came before it on its connection is answered; never, when that ends. */
  inTurn(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket } = request;
    // Node gives a response its socket when it is the first of the connection; those of HTTP/2 have none.
    if (response.socket === undefined) handle();
    else if (response.socket !== null) {
      this.#current.set(socket, response);
      handle();
    } else {
      this.#wait(socket, 1);
      response.once("socket", () => {
        this.#current.set(socket, response);
        this.#wait(socket, -1);
        // Node is not done with handing the connection over.
        process.nextTick(handle);
      });
    }
  }

  /** Calls `then` when nothing that came before on the connection is to be answered. */
  afterAll(socket: Duplex, then: () => void): void {
    const current = this.current(socket);
    if (current === undefined) then();
    else current.once("close", () => this.afterAll(socket, then));
  }

  /** The response of the connection that is not over. */
  current(socket: Duplex): ServerResponse | undefined {
    const current = this.#current.get(socket);
    return current?.closed ? undefined : current;
  }

  #wait(socket: Duplex, change: 1 | -1): void {
    const before = this.#waiting.get(socket) ?? 0;
    this.#waiting.set(socket, before + change);
    if (change === 1 && before + 1 >= mostWaiting) socket.pause();
    else if (change === -1 && before === mostWaiting) socket.resume();
  }
}
