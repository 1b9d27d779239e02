/** A measurement and its time, in milliseconds. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/** Returns the growth per hour of the line that fits the samples best (least squares); 0 for fewer than two times. */
export function slopePerHour(samples: readonly Sample[]): number {
  const hours = samples.map(({ at }) => at / 3_600_000);
  const middle = mean(hours);
  const level = mean(samples.map(({ value }) => value));
  let spread = 0;
  let rise = 0;
  for (const [index, { value }] of samples.entries()) {
    const distance = (hours[index] ?? middle) - middle;
    spread += distance * distance;
    rise += distance * (value - level);
  }
  return spread === 0 ? 0 : rise / spread;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
