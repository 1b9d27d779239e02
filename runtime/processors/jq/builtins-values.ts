// jq functions on arrays, objects and values of any type.

import { overlappingPlaces } from "../../text/search.ts";
import { type BuiltinCall, type Builtins, collected, eachCombination, immediate, plain } from "./builtin.ts";
import { computed, type JqPath } from "./filter.ts";
import { add, contains, unfit1 } from "./operators.ts";
import { deletePaths, getPath, placesOf, setPath } from "./paths.ts";
import { type Run, spendOnText } from "./run.ts";
import {
  compare,
  described,
  elementsOf,
  failure,
  fieldOf,
  isList,
  isNumeric,
  isRecord,
  isTruthy,
  JqError,
  type JqValue,
  keysOf,
  numberOf,
  preview,
  printJq,
  recordOf,
  typeOf,
} from "./values.ts";

/** Functions by `name/arguments`. */
export const valueBuiltins: Builtins = {
  "not/0": immediate((input) => !isTruthy(input)),
  "env/0": immediate(() => ({})),
  "type/0": immediate(typeOf),
  "length/0": immediate(lengthOf),
  "keys/0": plain((input) => {
    if (isList(input)) return [...input.keys()];
    if (isRecord(input)) return keysOf(input);
    throw unfit("keys", input);
  }),
  "has/1": immediate((input, [key = null]) => has(input, key)),
  "in/1": ({ input, path, emit, args: [within] }) =>
    within?.(input, undefined, (outer) => emit(has(outer, input), computed(path))),
  "contains/1": plain((input, [part = null], run) => contains(input, part, run)),
  "inside/1": ({ run, input, path, emit, args: [within] }) =>
    within?.(input, undefined, (outer) => emit(contains(outer, input, run), computed(path))),
  "add/0": plain((input, _, run) => {
    const elements = elementsOf(input);
    if (elements === undefined) throw unfit("add", input);
    return sumOf(elements, run);
  }),
  "to_entries/0": plain(toEntries),
  "from_entries/0": plain(fromEntries),
  "with_entries/1": ({ run, input, path, emit, args: [change] }) => {
    const changed: JqValue[] = [];
    for (const entry of toEntries(input)) change?.(entry, undefined, (value) => changed.push(value));
    run.step(changed.length);
    emit(fromEntries(changed), computed(path));
  },
  "tonumber/0": plain((input) => {
    if (isNumeric(input)) return input;
    if (typeof input !== "string") throw unfit("tonumber", input);
    if (/^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(input)) return numberOf(input);
    throw failure(`tonumber cannot be applied to ${preview(input)}: invalid number`);
  }),
  "tostring/0": plain((input) => (typeof input === "string" ? input : printJq(input))),
  "reverse/0": plain((input) => listOf("reverse", input).toReversed()),
  "flatten/0": plain((input, _, run) => flattened(input, Number.POSITIVE_INFINITY, run)),
  "flatten/1": plain((input, [depth = null], run) => {
    if (!isNumeric(depth)) throw unfit("flatten", depth);
    if (depth < 0) throw failure(`flatten depth should not be negative: ${preview(depth)}`);
    return flattened(input, Number(depth), run);
  }),
  "indices/1": plain((input, [part = null]) => (input === null ? null : places("indices", input, part))),
  "index/1": plain((input, [part = null]) =>
    input === null ? null : (places("index", input, part)[0] ?? null),
  ),
  "rindex/1": plain((input, [part = null]) =>
    input === null ? null : (places("rindex", input, part).at(-1) ?? null),
  ),
  "min/0": plain((input) => extreme(listOf("min", input), (each) => each, -1)),
  "max/0": plain((input) => extreme(listOf("max", input), (each) => each, 1)),
  "min_by/1": byKey("min_by", (pairs) => extreme(pairs, ([key]) => key, -1)?.[1] ?? null),
  "max_by/1": byKey("max_by", (pairs) => extreme(pairs, ([key]) => key, 1)?.[1] ?? null),
  "sort/0": plain((input) => [...listOf("sort", input)].sort(compare)),
  "sort_by/1": byKey("sort_by", (pairs) => sorted(pairs).map(([, value]) => value)),
  "group_by/1": byKey("group_by", (pairs) => groups(pairs).map((group) => group.map(([, value]) => value))),
  "unique/0": plain((input) => unique(listOf("unique", input).map((each) => [each, each] as const))),
  "unique_by/1": byKey("unique_by", unique),
  "transpose/0": plain((input, _, run) => {
    const rows = listOf("transpose", input).map((row) =>
      isList(row) ? row : listOf("transpose", input, true),
    );
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
    run.step((width * rows.length) >> 1);
    return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null));
  }),
  "bsearch/1": immediate((input, [wanted = null]) => {
    if (!isList(input)) throw unfit1("bsearch", input, wanted);
    let [low, high] = [0, input.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(input[middle] ?? null, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low < input.length && compare(input[low] ?? null, wanted) === 0 ? low : -low - 1;
  }),
  "setpath/2": plain((input, [path = null, value = null], run) => setPath(input, path, value, run)),
  "delpaths/1": plain((input, [paths = null], run) => deletePaths(input, paths, run)),
  "getpath/1": ({ input, path, emit, args }) =>
    eachCombination(args, input, ([keys = null]) => emit(getPath(input, keys), placeOf(path, keys))),
  "error/0": plain((input) => raise(input)),
  "error/1": plain((_, [value = null]) => raise(value)),
};

function placeOf(path: JqPath, keys: JqValue): JqPath {
  if (path === undefined || path === "nowhere" || !isList(keys)) return path;
  return keys.reduce((before, key) => ({ before, key }), path);
}

function raise(value: JqValue): never {
  throw new JqError(value, `error: ${typeof value === "string" ? value : printJq(value)}`);
}

function lengthOf(input: JqValue): JqValue {
  if (input === null) return 0;
  if (typeof input === "string") {
    spendOnText(input);
    return [...input].length;
  }
  if (isList(input)) return input.length;
  if (isRecord(input)) return Object.keys(input).length;
  if (isNumeric(input)) return input < 0 ? -input : input;
  throw unfit("length", input);
}

function has(input: JqValue, key: JqValue): boolean {
  if (isList(input) && isNumeric(key)) return key >= 0 && Math.trunc(Number(key)) < input.length;
  if (isRecord(input) && typeof key === "string") return Object.hasOwn(input, key);
  if (input === null) return false;
  throw unfit1("has", input, key);
}

/** Returns the sum of elements. Texts and arrays are not copied at each step. */
export function sumOf(elements: readonly JqValue[], run: Run): JqValue {
  const [first = null] = elements;
  if (elements.length > 1 && elements.every(isList)) {
    const sum = elements.flat();
    run.copy(sum.length);
    return sum;
  }
  if (elements.length > 1 && elements.every(isRecord))
    return recordOf(elements.flatMap((each) => Object.entries(each)));
  return elements.slice(1).reduce<JqValue>((sum, each) => add(sum, each, run), first);
}

function toEntries(input: JqValue): readonly JqValue[] {
  if (isList(input)) return input.map((value, key) => ({ key, value }));
  if (isRecord(input)) return keysOf(input).map((key) => ({ key, value: fieldOf(input, key) }));
  throw unfit("to_entries", input);
}

function fromEntries(input: JqValue): JqValue {
  const entries = listOf("from_entries", input).map((entry): readonly [string, JqValue] => {
    if (!isRecord(entry)) throw unfit("from_entries", entry);
    const key = ["key", "Key", "name", "Name"].map((name) => fieldOf(entry, name)).find(isTruthy) ?? null;
    if (typeof key !== "string")
      throw failure(
        `from_entries cannot be applied to ${preview(input)}: expected a string for object key but got: ${described(key)}`,
      );
    const name = ["value", "Value"].find((each) => Object.hasOwn(entry, each));
    return [key, name === undefined ? null : fieldOf(entry, name)];
  });
  return recordOf(entries);
}

function flattened(input: JqValue, depth: number, run: Run): JqValue {
  const elements = elementsOf(input);
  if (elements === undefined) throw unfit("flatten", input);
  run.step(elements.length);
  return elements.flatMap((each) =>
    isList(each) && depth > 0 ? (flattened(each, depth - 1, run) as readonly JqValue[]) : [each],
  );
}

function places(name: string, input: JqValue, part: JqValue): readonly number[] {
  if (isList(input)) return placesOf(input, isList(part) ? part : [part]);
  if (typeof input === "string" && typeof part === "string") return placesInText(input, part);
  throw unfit1(name, input, part);
}

/** Returns the places of a part in characters, including overlapping occurrences. */
function placesInText(text: string, part: string): readonly number[] {
  if (part === "") return [];
  const found: number[] = [];
  let [characters, counted] = [0, 0];
  for (const at of overlappingPlaces(text, part)) {
    characters += [...text.slice(counted, at)].length;
    counted = at;
    found.push(characters);
  }
  return found;
}

/** Returns the smallest or largest item. Of equal items, the first is the smallest and the last is the largest. */
function extreme<T>(items: readonly T[], keyOf: (item: T) => JqValue, sign: 1 | -1): T | null {
  const [first, ...others] = items;
  if (first === undefined) return null;
  return others.reduce((found, each) => {
    const order = compare(keyOf(each), keyOf(found)) * sign;
    return order > 0 || (order === 0 && sign > 0) ? each : found;
  }, first);
}

type Pairs = readonly (readonly [key: JqValue, value: JqValue])[];

function sorted(pairs: Pairs): Pairs {
  return [...pairs].sort(([a], [b]) => compare(a, b));
}

function groups(pairs: Pairs): readonly Pairs[] {
  const found: (readonly [JqValue, JqValue])[][] = [];
  for (const pair of sorted(pairs)) {
    const last = found.at(-1);
    if (last?.[0] !== undefined && compare(last[0][0], pair[0]) === 0) last.push(pair);
    else found.push([pair]);
  }
  return found;
}

function unique(pairs: Pairs): JqValue {
  return groups(pairs).map(([first]) => first?.[1] ?? null);
}

/** Defines a function on elements that compares them by all values that a query returns for each. */
function byKey(name: string, work: (pairs: Pairs) => JqValue): BuiltinCall {
  return ({ run, input, path, emit, args: [query] }) => {
    const elements = elementsOf(input);
    if (elements === undefined) throw failure(`cannot iterate over: ${described(input)}`);
    const keys = elements.map((each) => (query === undefined ? [] : collected(query, each, run)));
    if (!isList(input)) throw unfit1(name, input, keys);
    emit(work(input.map((value, index) => [keys[index] ?? null, value])), computed(path));
  };
}

/** Returns the input of the function `name`, which must be an array. */
function listOf(name: string, input: JqValue, isUnfit = !isList(input)): readonly JqValue[] {
  if (isUnfit || !isList(input)) throw unfit(name, input);
  return input;
}

/** Returns the error for a function without arguments whose input has the wrong type. */
export function unfit(name: string, input: JqValue): Error {
  return failure(`${name} cannot be applied to: ${described(input)}`);
}
