// Windows of time: where they begin and end. Times are nanoseconds since 1970.

/** Windows of `size`, each `step` after the one before, `offset` after the full hour, day and so on. */
export interface Windows {
  readonly size: bigint;
  readonly step: bigint;
  readonly offset: bigint;
}

/** From the first of January of the year 1, from which the reference engine counts multiples of a size. */
const sinceYearOne = 62_135_596_800n * 1_000_000_000n;

/** The end, which belongs to it, of the window that ends next at a time; its beginning, a size before, does not. */
export function firstEnd({ step, offset }: Windows, now: bigint): bigint {
  const elapsed = now + sinceYearOne;
  const rounded = ((elapsed + step / 2n) / step) * step - sinceYearOne;
  const start = rounded + offset;
  const begun = start >= now ? start - step : start;
  // Where windows overlap, the one that ends next began before the one that began last.
  return begun + step;
}

/** The end of a window as RFC 3339 text in UTC. */
export function printEnd(end: bigint): string {
  const text = new Date(Number(end / 1_000_000n)).toISOString().slice(0, -1);
  return `${text.replace(/\.?0{0,3}$/, "")}Z`;
}
