// A rate limit as a leaky bucket: the generic cell rate algorithm, which stores one number instead of a list.

/** The rate of a bucket. */
export interface Leak {
  /** Requests in a period, more than 0. */
  readonly rate: number;
  /** Microseconds of the period, more than 0. */
  readonly per: number;
}

/**
 * `level` is what was added and has not leaked yet, in requests times microseconds of the period. It is an integer if
 * the rate is, so that rounding errors do not accumulate.
 */
export interface Bucket {
  level: number;
  /** The time of `level` in microseconds. */
  at: number;
}

/** Updates the bucket to `time`, and returns the microseconds until one more request fits; 0 if it fits now. */
export function excessOf(leak: Leak, bucket: Bucket, time: number): number {
  const { rate, per } = leak;
  bucket.level = Math.max(0, bucket.level - (time - bucket.at) * rate);
  bucket.at = time;
  return Math.max(0, Math.ceil((bucket.level + per - capacityOf(leak)) / rate));
}

/** Returns the number of requests that fit now. */
export function roomOf(leak: Leak, { level }: Bucket): number {
  return Math.floor((capacityOf(leak) - level) / leak.per);
}

/** Returns the microseconds until the bucket is empty. */
export function drainOf({ rate }: Leak, { level }: Bucket): number {
  return Math.ceil(level / rate);
}

/** Returns the capacity; a rate below one request per period still admits one. */
function capacityOf({ rate, per }: Leak): number {
  return per * Math.max(1, rate);
}
