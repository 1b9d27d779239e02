// What a peer may ask for beyond what it delivers: so much at once, and so much more with each second.

/** How much there is of it. */
export interface AllowanceRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** What is left for one peer. */
export class Allowance {
  readonly #rate: AllowanceRate;
  #left: number;
  #since = performance.now();

  constructor(rate: AllowanceRate) {
    this.#rate = rate;
    this.#left = rate.burst;
  }

  /** Takes `amount`, and says whether there was so much left. */
  spend(amount = 1): boolean {
    // The clock is read only when it matters.
    if (amount > this.#left) this.#refill();
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }

  #refill(): void {
    const { burst, perSecond } = this.#rate;
    const now = performance.now();
    this.#left = Math.min(burst, this.#left + ((now - this.#since) * perSecond) / 1000);
    this.#since = now;
  }
}

/** Frames without data that a peer may send, such as pings and settings; each has to be answered or read. */
export const answeredFrames: AllowanceRate = { burst: 100, perSecond: 10 };

/** Bytes that a piece of a body or message has to carry on average, beyond which it is only work. */
const usefulBytes = 16;
/** Bytes by which the pieces of one connection may fall short of that: 16,384 empty pieces at once, and 1,000 each second. */
const shortfall: AllowanceRate = { burst: 16_384 * usefulBytes, perSecond: 1_000 * usefulBytes };
/** Bytes that are counted at once, so that usual bodies count nothing. */
const leastCounted = 128 * usefulBytes;

/** By connection, from its first small pieces on. */
const allowances = /* @__PURE__ */ new WeakMap<object, Allowance>();

/**
 * Takes note of `pieces` that carried `bytes` together, on a connection that was short of `before` bytes, none at first. Gives what
 * to pass the next time; `undefined` where the client makes more work than it may.
 */
export function countPieces(
  connection: object,
  before: number,
  pieces: number,
  bytes: number,
): number | undefined {
  const short = before + pieces * usefulBytes - bytes;
  if (short < leastCounted) return Math.max(0, short);
  const allowance = allowances.get(connection) ?? new Allowance(shortfall);
  allowances.set(connection, allowance);
  return allowance.spend(short) ? 0 : undefined;
}
