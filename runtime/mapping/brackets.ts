// Implements `value[i]` and `value[a:b:c]`.

import { MappingError } from "../errors.ts";
import { isArray, type Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { wrongType } from "./failures.ts";
import { numeric, truncate } from "./numeric.ts";

/**
 * Returns the element at an index; a negative index counts from the end. For bytes, returns the byte as a number. For
 * text, returns the character whose code is the byte at that index.
 */
export function bracketIndex(target: Value, index: Value): Value {
  const at = integerOf(index, "index: ");
  if (isArray(target)) return target[position(at, target.length)] ?? null;
  if (target instanceof Uint8Array) return target[position(at, target.length)] ?? null;
  if (typeof target !== "string") throw wrongType("", ["array", "string"], target);
  const bytes = encodeUtf8(target);
  return String.fromCharCode(bytes[position(at, bytes.length)] ?? 0);
}

/**
 * Returns every `step`-th element from `start` to `stop`. Text is counted in code points. Omitted bounds are
 * `undefined`.
 */
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

/** A whole number: a bigint if a double would not be exact, because errors show the number. */
type Whole = number | bigint;

interface Bounds {
  readonly start: Whole | undefined;
  readonly stop: Whole | undefined;
  readonly step: Whole | undefined;
}

/** Throws for bounds that are invalid for every value. The reference engine checks them before it checks the value. */
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

/** Returns the position of an index within the range. A negative index counts from the end. */
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

/** Returns the double closest to a bound. No value is long enough for the difference to matter. */
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
