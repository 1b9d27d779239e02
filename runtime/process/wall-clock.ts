// The time of day with a resolution finer than milliseconds.

/**
 * Milliseconds by which the two clocks may differ, through rounding and slewing, before the system time counts as
 * changed.
 */
const tolerance = 2;

/** The time at which `performance.now()` was 0, in milliseconds since 1970, according to the current system time. */
let origin = 0;

/**
 * Converts a time of `performance.now()` to milliseconds since 1970, with fractions. Each call reads the system time
 * again: it may be changed while the process runs, or the machine may have slept, which the monotonic clock does not
 * show.
 */
export function wallTimeOf(time: number): number {
  const now = performance.now();
  const wall = Date.now();
  if (Math.abs(origin + now - wall) > tolerance) origin = wall - now;
  return origin + time;
}
