// Reads, sets and deletes the values at paths.

import { unfit1 } from "./operators.ts";
import { type Run, spend } from "./run.ts";
import {
  compare,
  described,
  failure,
  fieldOf,
  isList,
  isNumeric,
  isRecord,
  JqError,
  type JqValue,
  type JsonObject,
  preview,
  recordOf,
} from "./values.ts";

/** Returns an index or a slice bound as a JavaScript number. */
function indexOf(value: number | bigint): number {
  return Math.trunc(Number(value));
}

/** Returns an index counted from the start, between `least` and `length`. Negative indexes count from the end. */
function clamped(index: number, least: number, length: number): number {
  const fromStart = index < 0 ? index + length : index;
  return fromStart < least ? least : Math.min(fromStart, length);
}

/** `.[key]` */
export function indexed(value: JqValue, key: JqValue): JqValue {
  if (typeof key === "string") {
    if (value === null) return null;
    if (isRecord(value)) return fieldOf(value, key);
    throw failure(`expected an object but got: ${described(value)}`);
  }
  if (isNumeric(key)) {
    if (value === null) return null;
    if (!isList(value) && typeof value !== "string") throw notArray(value);
    if (!isList(value)) spend(value.length >> 3);
    const elements = isList(value) ? value : [...value];
    const index = clamped(indexOf(key), -1, elements.length);
    return elements[index] ?? null;
  }
  if (isList(key)) {
    if (value === null) return null;
    if (!isList(value)) throw notArray(value);
    return placesOf(value, key);
  }
  if (isRecord(key)) {
    const { start, end } = bounds(key);
    return value === null ? null : sliced(value, start, end);
  }
  if (isList(value)) throw failure(`expected a number for indexing an array but got: ${described(key)}`);
  if (typeof value === "string")
    throw failure(`expected a number for indexing a string but got: ${described(key)}`);
  throw notKey(key);
}

/** Returns the places at which the elements of `wanted` occur consecutively in an array. */
export function placesOf(elements: readonly JqValue[], wanted: readonly JqValue[]): readonly number[] {
  if (wanted.length === 0) return [];
  const places: number[] = [];
  for (let at = 0; at <= elements.length - wanted.length; at++)
    if (wanted.every((each, index) => isSame(elements[at + index] ?? null, each))) places.push(at);
  return places;
}

function isSame(a: JqValue, b: JqValue): boolean {
  spend(1);
  return compare(a, b) === 0;
}

/** `.[start:end]` */
export function sliced(value: JqValue, start: JqValue, end: JqValue): JqValue {
  if (value === null) return null;
  if (!isList(value) && typeof value !== "string") throw notArray(value);
  spend(value.length >> 3);
  const characters = typeof value === "string" ? [...value] : undefined;
  const [from, to] = range(start, end, (characters ?? value).length, characters !== undefined);
  spend((to - from) >> 2);
  return characters === undefined ? value.slice(from, to) : characters.slice(from, to).join("");
}

function range(start: JqValue, end: JqValue, length: number, isText: boolean): readonly [number, number] {
  for (const bound of [start, end])
    if (bound !== null && !isNumeric(bound))
      throw failure(
        `expected a number for indexing ${isText ? "a string" : "an array"} but got: ${described(bound)}`,
      );
  const from = isNumeric(start) ? clamped(indexOf(start), 0, length) : 0;
  return [from, isNumeric(end) ? clamped(indexOf(end), from, length) : length];
}

function bounds(key: JsonObject): { readonly start: JqValue; readonly end: JqValue } {
  if (!Object.hasOwn(key, "start") || !Object.hasOwn(key, "end"))
    throw failure(`expected "start" and "end" for slicing but got: ${described(key)}`);
  return { start: fieldOf(key, "start"), end: fieldOf(key, "end") };
}

function notArray(value: JqValue): Error {
  return failure(`expected an array but got: ${described(value)}`);
}

function notKey(key: JqValue): Error {
  return failure(`expected a string for object key but got: ${described(key)}`);
}

/** `getpath(path)` */
export function getPath(value: JqValue, path: JqValue): JqValue {
  if (!isList(path)) throw unfit1("getpath", value, path);
  let at = value;
  for (const key of path) {
    if (at !== null && typeof at !== "object") throw unfit1("getpath", value, path);
    at = wrapped(
      () => indexed(at, key),
      (reason) => `getpath(${preview(path)}) cannot be applied to ${preview(value)}: ${reason}`,
    );
  }
  return at;
}

function wrapped<T>(run: () => T, words: (reason: string) => string): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof JqError)) throw error;
    throw failure(words(error.message));
  }
}

/** Marks deleted values until all paths are handled. */
const gone: unique symbol = Symbol("gone");
type Changed = JqValue | typeof gone;

/** `setpath(path; value)` */
export function setPath(root: JqValue, path: JqValue, value: JqValue, run: Run): JqValue {
  if (!isList(path)) throw unfit1("setpath", root, path);
  return wrapped(
    // The result is only `gone` if `value` is `gone`.
    () => changed(root, path, 0, value, run) as JqValue,
    (reason) =>
      `setpath(${preview(path)}; ${preview(value)}) cannot be applied to ${preview(root)}: ${reason}`,
  );
}

/** `delpaths(paths)`: all paths refer to the value before anything is deleted. */
export function deletePaths(root: JqValue, paths: JqValue, run: Run): JqValue {
  if (!isList(paths)) throw unfit1("delpaths", root, paths);
  if (paths.length === 0) return root;
  return wrapped(
    () => {
      const marked = paths.reduce<Changed>((value, path) => {
        if (!isList(path)) throw notArray(path);
        return changed(value, path, 0, gone, run);
      }, root);
      return marked === gone ? null : withoutGone(marked);
    },
    (reason) => `delpaths(${preview(paths)}) cannot be applied to ${preview(root)}: ${reason}`,
  );
}

/** Removes deleted values. Containers without deleted values are returned unchanged. */
function withoutGone(value: JqValue): JqValue {
  if (isList(value)) {
    const rest = (value as readonly Changed[]).filter((each) => each !== gone).map(withoutGone);
    return rest.length === value.length && rest.every((each, index) => each === value[index]) ? value : rest;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value as { readonly [key: string]: Changed });
  const rest = entries.flatMap(([key, each]) => (each === gone ? [] : [[key, withoutGone(each)] as const]));
  const isSame =
    rest.length === entries.length && rest.every(([, each], index) => each === entries[index]?.[1]);
  return isSame ? value : recordOf(rest);
}

/** Returns `value` with `wanted` at the rest of the path. Deleted values stay deleted. */
function changed(
  value: Changed,
  path: readonly JqValue[],
  depth: number,
  wanted: Changed,
  run: Run,
): Changed {
  if (depth === path.length) return wanted;
  if (value === gone) return gone;
  const key = path[depth] ?? null;
  const inner = (child: Changed) => changed(child, path, depth + 1, wanted, run);
  run.step();
  if (typeof key === "string") {
    if (value !== null && !isRecord(value)) throw failure(`expected an object but got: ${described(value)}`);
    return changedField(value, key, inner, wanted === gone, run);
  }
  if (isNumeric(key) || isRecord(key)) {
    if (value !== null && !isList(value)) throw notArray(value);
    if (isNumeric(key)) return changedElement(value, indexOf(key), inner, wanted === gone, run);
    return changedSlice(value, key, inner, wanted === gone, run);
  }
  if (isList(value)) throw failure(`expected a number for indexing an array but got: ${described(key)}`);
  throw notKey(key);
}

function changedField(
  object: JsonObject | null,
  key: string,
  inner: (child: Changed) => Changed,
  deletes: boolean,
  run: Run,
): Changed {
  if (deletes && (object === null || !Object.hasOwn(object, key))) return object;
  const result = inner(object === null ? null : fieldOf(object, key));
  run.copy(object === null ? 0 : Object.keys(object).length);
  return { ...object, [key]: result } as JsonObject;
}

/** The largest index to which an array can grow. */
const largestIndex = 0x8000000;

function changedElement(
  list: readonly JqValue[] | null,
  index: number,
  inner: (child: Changed) => Changed,
  deletes: boolean,
  run: Run,
): Changed {
  const elements = list ?? [];
  const place = index < 0 ? index + elements.length : index;
  if (deletes && (place < 0 || place >= elements.length)) return list;
  if (place < 0) throw failure(`array index should not be negative: ${index}`);
  if (place >= largestIndex) throw failure(`array index too large: ${index}`);
  run.step(Math.max(0, place - elements.length));
  const result = inner(elements[place] ?? null);
  run.copy(elements.length);
  const copy: Changed[] = [...elements];
  while (copy.length < place) copy.push(null);
  copy[place] = result;
  return copy as JqValue[];
}

function changedSlice(
  list: readonly JqValue[] | null,
  key: JsonObject,
  inner: (child: Changed) => Changed,
  deletes: boolean,
  run: Run,
): Changed {
  const elements = list ?? [];
  const { start, end } = bounds(key);
  const [from, to] = range(
    isNumeric(start) ? start : null,
    isNumeric(end) ? end : null,
    elements.length,
    false,
  );
  if (deletes && from === to) return list;
  const result = inner(elements.slice(from, to));
  run.copy(elements.length);
  if (result !== gone && !isList(result)) throw notArray(result);
  const middle: readonly Changed[] = result === gone ? elements.slice(from, to).map(() => gone) : result;
  return [...elements.slice(0, from), ...middle, ...elements.slice(to)] as JqValue[];
}
