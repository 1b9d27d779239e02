// The time of day, finer than its milliseconds.

/** Milliseconds that the two clocks may differ by rounding and slewing before the machine's time counts as set anew. */
const tolerance = 2;

/** Milliseconds since 1970 at which `performance.now()` was 0, by the machine's time as it was set last. */
let origin = 0;

/**
 * Milliseconds since 1970, with fractions, of a time that `performance.now()` gave. The time of the machine is asked anew with
 * each call: it may be set while the process runs, or the machine may have slept, which the monotonic clock does not show.
 */
export function wallTimeOf(time: number): number {
  const now = performance.now();
  const wall = Date.now();
  if (Math.abs(origin + now - wall) > tolerance) origin = wall - now;
  return origin + time;
}
