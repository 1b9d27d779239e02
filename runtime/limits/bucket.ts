// A rate as a bucket that leaks: the generic cell rate algorithm, which needs one number where others need a list.

/** What a rate lets through. */
export interface Leak {
  /** Requests in a period, more than 0. */
  readonly rate: number;
  /** Microseconds of the period, more than 0. */
  readonly per: number;
}

/**
 * `level` is what was poured in and has not run out, in requests times microseconds of the period: whole where the rate
 * is, so that nothing adds up that was rounded.
 */
export interface Bucket {
  level: number;
  /** Microseconds at which `level` was true. */
  at: number;
}

/** Lets out what has run out, and gives the microseconds until one more request fits; 0 where it does. */
export function excessOf(leak: Leak, bucket: Bucket, time: number): number {
  const { rate, per } = leak;
  bucket.level = Math.max(0, bucket.level - (time - bucket.at) * rate);
  bucket.at = time;
  return Math.max(0, Math.ceil((bucket.level + per - capacityOf(leak)) / rate));
}

/** Requests that fit now. */
export function roomOf(leak: Leak, { level }: Bucket): number {
  return Math.floor((capacityOf(leak) - level) / leak.per);
}

/** Microseconds until it is empty. */
export function drainOf({ rate }: Leak, { level }: Bucket): number {
  return Math.ceil(level / rate);
}

/** A rate below one in its period still passes one. */
function capacityOf({ rate, per }: Leak): number {
  return per * Math.max(1, rate);
}
