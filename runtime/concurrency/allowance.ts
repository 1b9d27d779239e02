// Rate limits for requests of a peer that go beyond useful work: a burst, and a number per second.

/** The size of an allowance. */
export interface AllowanceRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** The remaining allowance of one peer. */
export class Allowance {
  readonly #rate: AllowanceRate;
  #left: number;
  #since = performance.now();

  constructor(rate: AllowanceRate) {
    this.#rate = rate;
    this.#left = rate.burst;
  }

  /** Takes `amount`; returns whether enough was left. */
  spend(amount = 1): boolean {
    // The clock is read only if necessary.
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

/** Frames without data that a peer may send, such as pings and settings; each must be answered or read. */
export const answeredFrames: AllowanceRate = { burst: 100, perSecond: 10 };

/** Bytes that a piece of a body or message must carry on average; smaller pieces count as unnecessary work. */
const usefulBytes = 16;
/**
 * The allowed shortfall of the pieces of one connection, in bytes: 16,384 empty pieces at a time, and 1,000 per
 * second.
 */
const shortfall: AllowanceRate = { burst: 16_384 * usefulBytes, perSecond: 1_000 * usefulBytes };
/** The smallest shortfall that is counted, in bytes, so that usual bodies cost nothing. */
const leastCounted = 128 * usefulBytes;

/** The allowances by connection, from its first counted shortfall. */
const allowances = /* @__PURE__ */ new WeakMap<object, Allowance>();

/**
 * Counts `pieces` that carried `bytes` together, on a connection that had a shortfall of `before` bytes, initially 0.
 * Returns the value to pass the next time; `undefined` if the client causes more work than its allowance permits.
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
