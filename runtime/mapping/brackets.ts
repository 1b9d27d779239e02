// `value[i]` and `value[a:b:c]`.

import { MappingError } from "../errors.ts";
import { isArray, type Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { wrongType } from "./failures.ts";
import { numeric, truncate } from "./numeric.ts";

/**
 * The element at an index, from the end where it is negative. Of bytes it is the number of the byte, of text
 * the character that has the byte's number.
 */
export function bracketIndex(target: Value, index: Value): Value {
  const at = integerOf(index, "index: ");
  if (isArray(target)) return target[position(at, target.length)] ?? null;
  if (target instanceof Uint8Array) return target[position(at, target.length)] ?? null;
  if (typeof target !== "string") throw wrongType("", ["array", "string"], target);
  const bytes = encodeUtf8(target);
  return String.fromCharCode(bytes[position(at, bytes.length)] ?? 0);
}

/** The part from `start` to `stop`, each `step`-th; of text by code point. Parts left out are undefined. */
export function bracketSlice(target: Value, start?: Value, stop?: Value, step?: Value): Value {
  const bounds = {
    start: bound(start, "slice start bound"),
    stop: bound(stop, "slice end bound"),
    step: bound(step, "slice step"),
  };
  refuseBounds(bounds);
  if (isArray(target)) return pick(target, bounds);
  if (typeof target === "string") return pick([...target], bounds).join("");
  if (target instanceof Uint8Array) return Uint8Array.from(pick([...target], bounds));
  throw wrongType("", ["array", "string"], target);
}

/** A whole number: a bigint where a double would not be exact, since errors name it. */
type Whole = number | bigint;

interface Bounds {
  readonly start: Whole | undefined;
  readonly stop: Whole | undefined;
  readonly step: Whole | undefined;
}

/** Bounds that no value has a part between; the reference looks at them before it looks at the value. */
function refuseBounds({ start, stop, step }: Bounds): void {
  if (step === 0) throw new MappingError("slice step cannot be zero");
  if (step === undefined && start !== undefined && stop !== undefined && start > stop) {
    throw new MappingError(`lower slice bound (${start}) must be lower than upper (${stop})`);
  }
}

function pick<T>(elements: readonly T[], bounds: Bounds): T[] {
  const [start, stop, step] = [bounds.start, bounds.stop, bounds.step].map(near);
  if (step === undefined) return elements.slice(start, stop);
  const { length } = elements;
  const first = clamp(start ?? (step > 0 ? 0 : length - 1), length, step);
  const end = stop === undefined ? (step > 0 ? length : -1) : clamp(stop, length, step);
  const picked: T[] = [];
  for (let at = first; step > 0 ? at < end : at > end; at += step) {
    const element = elements[at];
    if (element !== undefined) picked.push(element);
  }
  return picked;
}

/** An index as a place: counted from the end where it is negative, kept in reach. */
function clamp(index: number, length: number, step: number): number {
  const from = index < 0 ? index + length : index;
  return step > 0 ? Math.min(Math.max(from, 0), length) : Math.min(Math.max(from, -1), length - 1);
}

function position(index: Whole, length: number): number {
  const at = Number(index) < 0 ? Number(index) + length : Number(index);
  if (at >= 0 && at < length) return at;
  const place = index < 0 ? BigInt(index) + BigInt(length) : index;
  throw new MappingError(`index ${place} out of bounds for length ${length}`);
}

/** The double closest to a bound: no value is so long that the difference matters. */
function near(bound: Whole | undefined): number | undefined {
  return bound === undefined ? undefined : Number(bound);
}

function bound(value: Value | undefined, name: string): Whole | undefined {
  return value === undefined ? undefined : integerOf(value, `${name}: `);
}

function integerOf(value: Value, lead: string): Whole {
  const number = numeric(value);
  if (number === undefined) throw new MappingError(lead + wrongType("", ["number"], value).message);
  return truncate(number);
}
