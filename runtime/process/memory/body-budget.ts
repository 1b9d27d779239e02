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
  /** Bytes that wait for clients, as far as they are known. */
  unread = 0;

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
    const { limit, used, unread } = this.#budget;
    if (this.#held + bytes > limit) return new GatewayError(413, "Request body is too large");
    if (this.#owners === 0 || used + unread + bytes > limit) return full();
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

/** Bytes of the smallest piece that is kept as it came: smaller ones take more memory for their objects than for their bytes. */
const smallestKept = 1_024;
/** Bytes of memory that hold the copies of small pieces, at most. */
const largestBlock = 64 * 1024;

/**
 * Bytes that come in pieces and are joined later. It holds hardly more memory than bytes, however they are cut: a client may
 * send a body as chunks of one byte each, and a byte may be all that is used of the memory of a whole read.
 */
export class Pieces {
  /** Bytes that are held. */
  length = 0;
  #parts: Uint8Array[] = [];
  /** Takes copies of small pieces, from `#begin` to `#end` for those that are not among the parts yet. */
  #block: Buffer | undefined;
  #begin = 0;
  #end = 0;

  add(piece: Uint8Array): void {
    const { length } = piece;
    const fillsItsMemory = 4 * length >= piece.buffer.byteLength;
    if (fillsItsMemory && (length >= smallestKept || this.length === 0)) {
      this.#seal();
      this.#parts.push(piece);
    } else this.#copy(piece);
    this.length += length;
  }

  /** Everything, in one piece; nothing is held afterwards. */
  takeAll(): Uint8Array {
    this.#seal();
    const parts = this.#parts;
    this.#parts = [];
    this.length = 0;
    return joined(parts);
  }

  /** The first `count` bytes, or as many as there are. */
  take(count: number): Uint8Array {
    if (count >= this.length) return this.takeAll();
    this.#seal();
    const taken: Uint8Array[] = [];
    let left = count;
    let used = 0;
    for (let part = this.#parts[used]; left > 0 && part !== undefined; part = this.#parts[used]) {
      taken.push(part.subarray(0, left));
      if (part.length > left) this.#parts[used] = part.subarray(left);
      else used += 1;
      left -= Math.min(left, part.length);
    }
    this.#parts.splice(0, used);
    this.length -= count;
    return joined(taken);
  }

  #copy(piece: Uint8Array): void {
    let rest = piece;
    while (rest.length > 0) {
      if (this.#block === undefined || this.#end === this.#block.length) {
        this.#seal();
        // Short bodies are many, so they get little.
        this.#block = Buffer.allocUnsafe(Math.min(largestBlock, Math.max(smallestKept, this.length)));
        this.#begin = 0;
        this.#end = 0;
      }
      const part = rest.subarray(0, this.#block.length - this.#end);
      this.#block.set(part, this.#end);
      this.#end += part.length;
      rest = rest.subarray(part.length);
    }
  }

  /** Makes the copies that were made since the last time a part. */
  #seal(): void {
    if (this.#block === undefined || this.#begin === this.#end) return;
    this.#parts.push(this.#block.subarray(this.#begin, this.#end));
    this.#begin = this.#end;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

/** Sixteen bodies of the largest size, by default. */
export const defaultBytesInFlight = 256 * 1024 * 1024;

/** The budget of this process: all parts share its memory. */
export const bodyBudget = /* @__PURE__ */ new ByteBudget(defaultBytesInFlight);

/** A quarter of the budget, by default. */
export const defaultAnswerBytes = 64 * 1024 * 1024;

/** What one answer to a request of a component may take of the budget in this process. */
export const answerLimit = { bytes: defaultAnswerBytes };
