// Durations: Go's notation, `1h30m`, and ISO 8601 periods, `P1Y2MT3H`. Nanoseconds are int64.

import { MappingError } from "../errors.ts";
import { civilTime, timestampAt } from "../message/timestamp.ts";
import { Timestamp } from "../message/value.ts";
import { quoteAscii } from "../text/quoting.ts";
import { maxInt64 } from "./numeric.ts";

const nanosecondsPerUnit: ReadonlyMap<string, bigint> = /* @__PURE__ */ new Map([
  ["ns", 1n],
  ["us", 1000n],
  ["µs", 1000n],
  ["μs", 1000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const nanosecondsPerSecond = 1_000_000_000n;
const durationPart = /(\d*)(\.\d*)?([^\d.]*)/y;

/** Returns the nanoseconds of `1h15m30.5s`, `-1.5h` or `0`. Throws with the messages of the reference engine. */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith("-");
  const amount = text.replace(/^[+-]/, "");
  if (amount === "0") return 0n;
  if (amount === "") throw unfitDuration("invalid duration", text);
  let total = 0n;
  durationPart.lastIndex = 0;
  while (durationPart.lastIndex < amount.length) {
    const [, whole = "", fraction = "", unit = ""] = durationPart.exec(amount) ?? [];
    if (whole === "" && fraction.length < 2) throw unfitDuration("invalid duration", text);
    // More digits than this are always out of range, and parsing millions of digits would take long.
    const digits = whole.replace(/^0+/, "");
    if (digits.length > 19 || BigInt(digits) > maxInt64 + 1n) throw unfitDuration("invalid duration", text);
    if (unit === "") throw unfitDuration("missing unit in duration", text);
    const factor = nanosecondsPerUnit.get(unit);
    if (factor === undefined) throw unfitDuration(`unknown unit ${quoteAscii(unit)} in duration`, text);
    total += BigInt(whole) * factor + fractionOf(fraction.slice(1), factor);
    if (total > maxInt64 + 1n) throw unfitDuration("invalid duration", text);
  }
  if (total > maxInt64 && !negative) throw unfitDuration("invalid duration", text);
  return negative ? -total : total;
}

/** Returns the nanoseconds of a fraction of a unit, computed with a float64 as in the reference engine. */
function fractionOf(digits: string, factor: bigint): bigint {
  const most = BigInt(digits.slice(0, 19)) > maxInt64 ? 18 : 19;
  const kept = digits.slice(0, most);
  return BigInt(Math.trunc(Number(kept) * (Number(factor) / 10 ** kept.length)));
}

function unfitDuration(problem: string, text: string): MappingError {
  return new MappingError(`time: ${problem} ${quoteAscii(text)}`, `${problem} ${quoteAscii(text)}`);
}

/** A decimal number: `coefficient / 10 ** scale`. */
interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

/** An ISO 8601 period. Fields that are not given are zero. */
export interface Period {
  readonly negative: boolean;
  /** Keys are the designators `Y`, `M`, `W`, `D`, and those of the time: `TH`, `TM`, `TS`. */
  readonly fields: ReadonlyMap<string, Decimal>;
}

const zero: Decimal = { coefficient: 0n, scale: 0 };

/** Parses a period such as `P3Y6M4DT12H30M5.5S`. Weeks may occur together with other fields. */
export function parsePeriod(text: string): Period {
  const fail = (reason: string) => new MappingError(`${text}: ${reason}`);
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "") throw new MappingError("cannot parse a blank string as a period");
  if (!unsigned.startsWith("P")) throw fail("expected 'P' period mark at the start");
  const fields = new Map<string, Decimal>();
  let rest = unsigned.slice(1);
  let clock = "";
  let fractional: string | undefined;
  while (rest !== "") {
    if (rest.startsWith("T")) {
      if (clock !== "") throw fail("'T' designator cannot occur more than once");
      clock = "T";
      rest = rest.slice(1);
      continue;
    }
    const { number, designator, after } = readField(rest, fail);
    if (fractional !== undefined && number.coefficient !== 0n)
      throw fail(`'${fractional}' & '${designator}' only the last field can have a fraction`);
    const belongs = clock === "" ? "YMWD" : "HMS";
    if (!belongs.includes(designator)) throw fail(`'${designator}' designator cannot occur here`);
    const key = clock + designator;
    if (fields.has(key)) throw fail(`'${designator}' designator cannot occur more than once`);
    fields.set(key, number);
    if (number.scale > 0) fractional = designator;
    rest = after;
  }
  if (fields.size === 0) throw fail("expected 'Y', 'M', 'W', 'D', 'H', 'M', or 'S' designator");
  return { negative: text.startsWith("-"), fields };
}

function readField(
  text: string,
  fail: (reason: string) => MappingError,
): { readonly number: Decimal; readonly designator: string; readonly after: string } {
  const digits = /^-?[\d.,]*/.exec(text)?.[0] ?? "";
  const [designator = ""] = text.slice(digits.length);
  if (digits === "") throw fail(`expected a number but found '${designator}'`);
  if (designator === "") throw fail("missing designator at the end");
  const [, whole, fraction = ""] = /^(-?\d*)(?:[.,](\d*))?$/.exec(digits) ?? [];
  const coefficient = `${whole ?? ""}${fraction}`;
  if (whole === undefined || !/\d/.test(coefficient) || coefficient.replace(/^-?0*/, "").length > 19)
    throw fail("number invalid or out of range");
  if (!"YMWDHS".includes(designator))
    throw fail(`expected a designator Y, M, W, D, H, or S not '${designator}'`);
  return {
    number: { coefficient: BigInt(coefficient), scale: fraction.length },
    designator,
    after: text.slice(digits.length + designator.length),
  };
}

/** Billionths of a day in a day, week, month and year. Months and years have their average length. */
const daysE9: Readonly<Record<string, bigint>> = {
  D: 1_000_000_000n,
  W: 7_000_000_000n,
  M: 30_436_875_000n,
  Y: 365_242_500_000n,
};

const clockNanoseconds: Readonly<Record<string, bigint>> = {
  TH: 3600n * nanosecondsPerSecond,
  TM: 60n * nanosecondsPerSecond,
  TS: nanosecondsPerSecond,
};

/** Returns the nanoseconds of a period, with the average length of years and months. */
export function periodNanoseconds(period: Period): bigint {
  const total = sumOf(period, daysE9) * 86_400n + sumOf(period, clockNanoseconds);
  return BigInt.asIntN(64, period.negative ? -total : total);
}

function sumOf({ fields }: Period, factors: Readonly<Record<string, bigint>>): bigint {
  let total = 0n;
  for (const [key, factor] of Object.entries(factors)) {
    const { coefficient, scale } = fields.get(key) ?? zero;
    total += coefficient * (factor / 10n ** BigInt(Math.min(scale, 19)));
  }
  return total;
}

/**
 * Returns the instant a period after `timestamp`. Years, months, weeks and days are added on the calendar of its zone.
 * If one of them has a fraction, all of them count with their average length.
 */
export function addPeriod(timestamp: Timestamp, period: Period): Timestamp {
  const field = (key: string) => period.fields.get(key) ?? zero;
  const dates = [field("Y"), field("M"), field("W"), field("D")];
  const onCalendar = dates.some(({ coefficient }) => coefficient !== 0n);
  if (!onCalendar || dates.some(({ scale }) => scale > 0))
    return addNanoseconds(timestamp, periodNanoseconds(period));
  const sign = period.negative ? -1 : 1;
  const [years = 0, months = 0, weeks = 0, days = 0] = dates.map(
    ({ coefficient }) => Number(coefficient) * sign,
  );
  const time = civilTime(timestamp);
  const moved = timestampAt(
    { ...time, year: time.year + years, month: time.month + months, day: time.day + 7 * weeks + days },
    timestamp.zone(),
  );
  return addNanoseconds(moved, sumOf(period, clockNanoseconds) * BigInt(sign));
}

/** Returns the instant `nanoseconds` after `timestamp`, in the same zone. */
export function addNanoseconds(timestamp: Timestamp, nanoseconds: bigint): Timestamp {
  const total = timestamp.seconds() * nanosecondsPerSecond + BigInt(timestamp.nanoseconds()) + nanoseconds;
  const rest = ((total % nanosecondsPerSecond) + nanosecondsPerSecond) % nanosecondsPerSecond;
  return new Timestamp((total - rest) / nanosecondsPerSecond, Number(rest), timestamp.zone());
}
