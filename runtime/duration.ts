// Go duration text, as documents and environment variables spell spans of time.

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const whole = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Milliseconds of `1m30s`, `250ms`, `0`; `undefined` when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!whole.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(part)) {
    milliseconds += Number(amount) * (millisecondsPerUnit[unit ?? ""] ?? 0);
  }
  return text.startsWith("-") ? -milliseconds : milliseconds;
}
