// Parses durations in Go's notation, as documents and environment variables use them.

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

/** Matches an amount and its unit. No digit can match in two ways, and each part begins where the last one ended. */
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Matches the parts at the beginning of a text that are amounts with a unit. */
const parts = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)(?![^\d.]))*/;

/** Matches an amount and what follows it as its unit. */
const beginning = /^(?:\d+(?:\.\d*)?|\.\d+)([^\d.]*)/;

/** The limit of Go's durations in milliseconds: they count nanoseconds in 63 bits. */
const longest = 2 ** 63 / 1e6;

/**
 * Returns the milliseconds of `1m30s`, `250ms` or `0`; `undefined` if the text is not a duration or is out of range.
 */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const start = /^[-+]/.test(text) ? 1 : 0;
  if (start === text.length) return undefined;
  let milliseconds = 0;
  for (part.lastIndex = start; part.lastIndex < text.length; ) {
    const found = part.exec(text);
    if (found === null) return undefined;
    milliseconds += Number(found[1]) * (millisecondsPerUnit[found[2] ?? ""] ?? 0);
  }
  if (milliseconds >= longest) return undefined;
  return text.startsWith("-") ? -milliseconds : milliseconds;
}

/** Returns why a text is not a duration, in the words of the reference engine. */
export function durationFault(text: string): string {
  const rest = text.replace(parts, "");
  const unit = beginning.exec(rest)?.[1];
  const problem =
    unit === undefined
      ? "invalid"
      : unit === ""
        ? "missing unit in"
        : `unknown unit ${JSON.stringify(unit)} in`;
  return `time: ${problem} duration ${JSON.stringify(text)}`;
}
