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
  /** Has one more owner release it before the bytes are given back. */
  share(): void;
  /** Gives back all of it once every owner has released it; nothing can be taken afterwards. */
  release(): void;
}

/** Something that ends: a response, or the connection of a socket. */
interface Closable {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
}

/** A number of bytes, of which holders take some and give them back. */
export class ByteBudget {
  /** Most bytes that are held at once. */
  limit: number;
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.#used;
  }

  /** A holder with one owner that holds nothing yet. */
  hold(): Hold {
    let held = 0;
    let owners = 1;
    const give = (bytes: number) => {
      const given = Math.min(bytes, held);
      held -= given;
      this.#used -= given;
    };
    return {
      take: (bytes) => {
        if (held + bytes > this.limit) return new GatewayError(413, "Request body is too large");
        if (owners === 0 || this.#used + bytes > this.limit) return full();
        held += bytes;
        this.#used += bytes;
        return undefined;
      },
      give,
      clear: () => give(held),
      share: () => {
        owners += 1;
      },
      release: () => {
        owners = Math.max(0, owners - 1);
        if (owners === 0) give(held);
      },
    };
  }

  /** A holder that is released when the response to a request, or the connection of a socket, has ended. */
  holdUntilClosed(connection: Closable): Hold {
    const hold = this.hold();
    if (connection.destroyed) hold.release();
    else connection.once("close", () => hold.release());
    return hold;
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

/** The budget of this process: its memory is one, whoever holds it. */
export const bodyBudget = /* @__PURE__ */ new ByteBudget(defaultBytesInFlight);

/** A quarter of the budget, by default. */
export const defaultAnswerBytes = 64 * 1024 * 1024;

/** What one answer to a request of a component may take of the budget in this process. */
export const answerLimit = { bytes: defaultAnswerBytes };
