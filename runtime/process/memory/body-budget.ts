// Bytes of bodies and messages that a process holds at once, of all clients together.

import { GatewayError } from "../../errors.ts";

/** What one holder has taken of a budget. */
export interface Hold {
  /**
   * Takes so many bytes more, before they are kept. An error where there are not so many left: 413 where they alone could
   * never fit, else 503 with `Retry-After`; then nothing more is taken.
   */
  take(bytes: number): GatewayError | undefined;
  /** Gives so many of them back. */
  give(bytes: number): void;
  /** Gives back all that was taken; more can be taken afterwards. */
  clear(): void;
  /** Adds an owner: the bytes are released when every owner has released them. */
  share(): void;
  /** Gives back all of it once every owner has released it; nothing can be taken afterwards. */
  release(): void;
}

/** Something that ends: a response, or the connection of a socket. */
interface Closable {
  readonly destroyed: boolean;
  on(event: "close", listener: () => void): unknown;
}

/** A number of bytes, of which holders take some and give them back. */
export class ByteBudget {
  /** Most bytes that are held at once. */
  limit: number;
  /** Bytes that are held now. */
  used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** A holder with one owner that holds nothing yet. */
  hold(): Hold {
    return new OpenHold(this);
  }

  /** A holder that is released when the response to a request, or the connection of a socket, has ended. */
  holdUntilClosed(connection: Closable): Hold {
    const hold = this.hold();
    if (connection.destroyed) hold.release();
    // It closes once: a listener that takes itself off would be two more objects.
    else connection.on("close", () => hold.release());
    return hold;
  }
}

class OpenHold implements Hold {
  readonly #budget: ByteBudget;
  #held = 0;
  #owners = 1;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  take(bytes: number): GatewayError | undefined {
    const { limit, used } = this.#budget;
    if (this.#held + bytes > limit) return new GatewayError(413, "Request body is too large");
    if (this.#owners === 0 || used + bytes > limit) return full();
    this.#held += bytes;
    this.#budget.used += bytes;
    return undefined;
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#budget.used -= given;
  }

  clear(): void {
    this.give(this.#held);
  }

  share(): void {
    this.#owners += 1;
  }

  release(): void {
    this.#owners = Math.max(0, this.#owners - 1);
    if (this.#owners === 0) this.clear();
  }
}

function full(): GatewayError {
  return new GatewayError(503, "Too many request bodies are being read", {
    retryAfter: 1,
    reason: "bytes_in_flight",
  });
}

/** Sixteen bodies of the largest size, by default. */
export const defaultBytesInFlight = 256 * 1024 * 1024;

/** The budget of this process: all parts share its memory. */
export const bodyBudget = /* @__PURE__ */ new ByteBudget(defaultBytesInFlight);

/** A quarter of the budget, by default. */
export const defaultAnswerBytes = 64 * 1024 * 1024;

/** What one answer to a request of a component may take of the budget in this process. */
export const answerLimit = { bytes: defaultAnswerBytes };
