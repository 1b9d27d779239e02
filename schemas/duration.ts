// Converts Go duration text to milliseconds: `5s`, `1m30s`, `1.5h`, `300ms`, `-2us`. Reports no diagnostics.

/** Milliseconds of each unit. */
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** The usual units, for suggestions. */
export const durationUnits: readonly string[] = ["ns", "us", "ms", "s", "m", "h"];

const part = /(\d+(?:\.\d*)?|\.\d+)([^\d.]+)/y;

/** Maximum duration in milliseconds: Go counts nanoseconds with 63 bits. */
const longest = 2 ** 63 / 1e6;

/** Returns the milliseconds of a duration text; `undefined` if it is invalid or too long. `0` needs no unit. */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === "0") return 0;
  let total = 0;
  let at = 0;
  while (at < body.length) {
    part.lastIndex = at;
    const [whole = "", amount = "", unit = ""] = part.exec(body) ?? [];
    if (whole === "" || !Object.hasOwn(units, unit)) return undefined;
    total += Number(amount) * (units[unit] ?? 0);
    at += whole.length;
  }
  return body === "" || total >= longest ? undefined : sign * total;
}
