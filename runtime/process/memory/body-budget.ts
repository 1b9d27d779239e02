// Limits the bytes of bodies and messages that a process keeps in memory at a time, for all clients together.

import { GatewayError } from "../../errors.ts";

/** The part of a budget that one holder has taken. */
export interface Hold {
  /**
   * Takes `bytes` more, before they are stored. Returns an error if the budget has not enough left, and then takes
   * nothing: 413 if the bytes of this holder exceed the whole budget, otherwise 503 with `Retry-After`.
   */
  take(bytes: number): GatewayError | undefined;
  /** Returns `bytes` to the budget. */
  give(bytes: number): void;
  /** Returns everything to the budget; more can be taken afterwards. */
  clear(): void;
  /** Adds an owner: the bytes are released when every owner has released them. */
  share(): void;
  /** Returns everything to the budget when every owner has released it; nothing can be taken afterwards. */
  release(): void;
}

/** An object that closes: a response, or the connection of a socket. */
interface Closable {
  readonly destroyed: boolean;
  on(event: "close", listener: () => void): unknown;
}

/** A number of bytes that holders take parts of and return. */
export class ByteBudget {
  /** The most bytes that may be held at a time. */
  limit: number;
  /** The bytes that are held now. */
  used = 0;
  /** The bytes that wait to be read by clients, as far as they are known. */
  unread = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Returns a holder with one owner that holds nothing yet. */
  hold(): Hold {
    return new OpenHold(this);
  }

  /** Returns a holder that is released when the response to a request, or the connection of a socket, has closed. */
  holdUntilClosed(connection: Closable): Hold {
    const hold = this.hold();
    if (connection.destroyed) hold.release();
    // `close` is emitted once: a listener that removes itself would need two more objects.
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

/**
 * Bytes of the smallest piece that is stored without copying: for smaller pieces, the objects take more memory than the
 * bytes.
 */
const smallestKept = 1_024;
/** The largest block for the copies of small pieces, in bytes. */
const largestBlock = 64 * 1024;

/**
 * Collects bytes that arrive in pieces and joins them later. Uses hardly more memory than the bytes themselves,
 * however small the pieces are: a client may send a body in chunks of one byte each, and each byte may keep the
 * memory of a whole read.
 */
export class Pieces {
  /** The number of bytes that are stored. */
  length = 0;
  #parts: Uint8Array[] = [];
  /** The block for copies of small pieces; those from `#begin` to `#end` are not among the parts yet. */
  #block: Buffer | undefined;
  #begin = 0;
  #end = 0;

  add(piece: Uint8Array): void {
    const { length } = piece;
    const fillsItsMemory = 4 * length >= piece.buffer.byteLength;
    if (fillsItsMemory && (length >= smallestKept || this.length === 0)) {
      this.#seal();
      this.#append(piece);
    } else this.#copy(piece);
    this.length += length;
  }

  /** Returns everything in one piece; nothing is stored afterwards. */
  takeAll(): Uint8Array {
    this.#seal();
    const parts = this.#parts;
    this.#parts = [];
    this.length = 0;
    return joined(parts);
  }

  /** Removes and returns the first `count` bytes, or all bytes if there are fewer. */
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
    let copied = 0;
    while (copied < piece.length) {
      if (this.#block === undefined || this.#end === this.#block.length) {
        this.#seal();
        // Short bodies are frequent, so their blocks are small.
        this.#block = Buffer.allocUnsafe(Math.min(largestBlock, Math.max(smallestKept, this.length)));
        this.#begin = 0;
        this.#end = 0;
      }
      const room = this.#block.length - this.#end;
      const isWhole = copied === 0 && piece.length <= room;
      const part = isWhole ? piece : piece.subarray(copied, copied + room);
      this.#block.set(part, this.#end);
      this.#end += part.length;
      copied += part.length;
    }
  }

  /** Adds the copies made since the last call to the parts. */
  #seal(): void {
    if (this.#block === undefined || this.#begin === this.#end) return;
    this.#append(this.#block.subarray(this.#begin, this.#end));
    this.#begin = this.#end;
  }

  #append(part: Uint8Array): void {
    // `push` would reserve a list of 17: most bodies have one part.
    if (this.#parts.length === 0) this.#parts = [part];
    else this.#parts.push(part);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

/** The default of the budget: sixteen bodies of the largest size. */
export const defaultBytesInFlight = 256 * 1024 * 1024;

/** The budget of this process; all its parts share the same memory. */
export const bodyBudget = /* @__PURE__ */ new ByteBudget(defaultBytesInFlight);

/** The default of the limit of responses: a quarter of the budget. */
export const defaultAnswerBytes = 64 * 1024 * 1024;

/** The share of the budget that one response to a request of a component may take in this process. */
export const answerLimit = { bytes: defaultAnswerBytes };
