// jq functions that run their arguments as queries.

import { MappingError } from "../../errors.ts";
import { type BuiltinCall, type Builtins, collected, eachInOrder, type JqCall, plain } from "./builtin.ts";
import { isNormal } from "./builtins-math.ts";
import { unfit } from "./builtins-values.ts";
import {
  below,
  type Closure,
  computed,
  type Emit,
  type JqPath,
  keysTo,
  leaving,
  pathStart,
} from "./filter.ts";
import { textOf } from "./formats.ts";
import { add } from "./operators.ts";
import { deletePaths, getPath, indexed, setPath, sliced } from "./paths.ts";
import { descended, recursed } from "./recursion.ts";
import { type Run, spend } from "./run.ts";
import { modified } from "./updates.ts";
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
  printJq,
  recordOf,
  typeOf,
} from "./values.ts";

/** Ends the query. No `try` of the query catches it. */
class Halted extends MappingError {}

/** Functions by `name/arguments`. */
export const queryBuiltins: Builtins = {
  "empty/0": () => undefined,
  "halt/0": () => halt(null),
  "halt_error/0": ({ input }) => halt(input),
  "halt_error/1": ({ input, args: [code] }) =>
    code?.(input, undefined, (value) => {
      if (!isNumeric(value)) throw unfit("halt_error", value);
      halt(input);
    }),
  "select/1": ({ input, path, emit, args: [test] }) =>
    test?.(input, undefined, (value) => {
      if (isTruthy(value)) emit(input, path);
    }),
  ...selections(),
  "map/1": ({ run, input, path, emit, args: [change] }) => {
    const made = elements(input).flatMap((each) =>
      change === undefined ? [] : collected(change, each, run),
    );
    emit(made, computed(path));
  },
  "map_values/1": ({ run, input, path, emit, args: [change] }) => {
    const places = (visit: Emit) => eachPlace(input, pathStart, visit);
    emit(
      modified(input, run, places, (value, handOn) => change?.(value, undefined, handOn)),
      computed(path),
    );
  },
  "recurse/0": ({ run, input, path, emit }) => recursed(input, path, emit, run),
  "recurse/1": ({ run, input, path, emit, args: [next] }) =>
    descended({ value: input, path }, emit, run, ({ value, path: place }, visit) =>
      next?.(value, place, visit),
    ),
  "recurse/2": ({ run, input, path, emit, args: [next, test] }) =>
    descended({ value: input, path }, emit, run, ({ value, path: place }, visit) =>
      next?.(value, place, (made, at) =>
        test?.(made, undefined, (holds) => {
          if (isTruthy(holds)) visit(made, at);
        }),
      ),
    ),
  "while/2": ({ run, input, path, emit, args: [test, update] }) =>
    whileTrue(input, path, test, (value, place) =>
      descended({ value, path: place }, emit, run, (from, visit) =>
        update?.(from.value, from.path, (made, at) => whileTrue(made, at, test, visit)),
      ),
    ),
  "until/2": ({ run, input, path, emit, args: [test, update] }) =>
    descended(
      { value: input, path },
      () => undefined,
      run,
      (from, visit) =>
        test?.(from.value, undefined, (holds) => {
          if (isTruthy(holds)) emit(from.value, from.path);
          else update?.(from.value, from.path, visit);
        }),
    ),
  "repeat/1": ({ run, input, path, emit, args: [body] }) => {
    for (;;) {
      run.step();
      body?.(input, path, emit);
    }
  },
  "range/1": (call) => ranges(call, ([end = null]) => [0, end, 1]),
  "range/2": (call) => ranges(call, ([start = null, end = null]) => [start, end, 1]),
  "range/3": (call) => ranges(call, ([start = null, end = null, step = null]) => [start, end, step]),
  "first/0": ({ input, path, emit }) => emit(indexed(input, 0), below(path, 0, input)),
  "last/0": ({ input, path, emit }) => emit(indexed(input, -1), below(path, -1, input)),
  "nth/1": ({ input, path, emit, args: [place] }) =>
    place?.(input, undefined, (index) => emit(indexed(input, index), below(path, index, input))),
  "first/1": ({ input, path, emit, args: [body] }) => body && nth(body, 0, { input, path, emit }),
  "last/1": ({ input, path, emit, args: [body] }) => {
    let found: JqValue = null;
    body?.(input, undefined, (value) => {
      found = value;
    });
    emit(found, computed(path));
  },
  "nth/2": ({ input, path, emit, args: [place, body] }) =>
    place?.(input, undefined, (index) => {
      if (isNumeric(index) && index < 0)
        throw new JqError(
          "nth doesn't support negative indices",
          "error: nth doesn't support negative indices",
        );
      if (body !== undefined) nth(body, numberOf(index, "nth"), { input, path, emit });
    }),
  "limit/2": ({ input, path, emit, args: [count, body] }) =>
    count?.(
      input,
      undefined,
      (most) => body && limited(body, numberOf(most, "limit"), { input, path, emit }),
    ),
  "isempty/1": ({ input, path, emit, args: [body] }) =>
    emit(body !== undefined && isEmpty(body, input), computed(path)),
  ...quantifiers("all", false),
  ...quantifiers("any", true),
  "path/1": ({ input, path, emit, args: [body] }) =>
    body?.(input, pathStart, (value, place) => emit(keysTo(place, value), computed(path))),
  "paths/0": ({ run, input, path, emit }) =>
    recursed(input, pathStart, (value, place) => handOnPath(value, place, path, emit), run),
  "paths/1": ({ run, input, path, emit, args: [test] }) =>
    recursed(
      input,
      pathStart,
      (value, place) =>
        test?.(value, undefined, (holds) => {
          if (isTruthy(holds)) handOnPath(value, place, path, emit);
        }),
      run,
    ),
  "pick/1": ({ run, input, path, emit, args: [body] }) => {
    let picked: JqValue = null;
    body?.(input, pathStart, (value, place) => {
      const keys = keysTo(place, value);
      picked = setPath(picked, keys, getPath(input, keys), run);
    });
    emit(picked, computed(path));
  },
  "del/1": ({ run, input, path, emit, args: [body] }) => {
    const places: JqValue[] = [];
    body?.(input, pathStart, (value, place) => places.push(keysTo(place, value)));
    emit(deletePaths(input, places, run), computed(path));
  },
  "walk/1": ({ run, input, path, emit, args: [change] }) =>
    change && walked(input, change, run, (value) => emit(value, computed(path))),
  "combinations/0": ({ run, input, path, emit }) =>
    combined(elements(input).map(elements), [], run, (value) => emit(value, computed(path))),
  "combinations/1": ({ run, input, path, emit, args: [count] }) =>
    count?.(input, undefined, (times) => {
      const lists = Array.from({ length: Math.min(1000, Math.ceil(numberOf(times, "combinations"))) }, () =>
        elements(input),
      );
      combined(lists, [], run, (value) => emit(value, computed(path)));
    }),
  "tostream/0": ({ input, path, emit }) => streamed(input, [], (event) => emit(event, computed(path))),
  "fromstream/1": ({ run, input, path, emit, args: [events] }) => {
    let [whole, isDone]: [JqValue, boolean] = [null, false];
    events?.(input, undefined, (event) => {
      if (isDone) [whole, isDone] = [null, false];
      const [keys = null, value = null] = isList(event) ? event : [];
      const isLeaf = isList(event) && event.length === 2;
      if (isLeaf) whole = setPath(whole, keys, value, run);
      isDone = isList(keys) && keys.length === (isLeaf ? 0 : 1);
      if (isDone) emit(whole, computed(path));
    });
  },
  "truncate_stream/1": ({ input, path, emit, args: [events] }) =>
    events?.(null, undefined, (event) => {
      const [keys = null, ...rest] = isList(event) ? event : [];
      const depth = numberOf(input, "truncate_stream");
      if (isList(keys) && keys.length > depth) emit([sliced(keys, depth, null), ...rest], computed(path));
    }),
  "INDEX/1": ({ run, input, path, emit, args: [key] }) =>
    emit(tableOf(elements(input), key, run), computed(path)),
  "INDEX/2": ({ run, input, path, emit, args: [rows, key] }) =>
    emit(tableOf(rows === undefined ? [] : collected(rows, input, run), key, run), computed(path)),
  "JOIN/2": ({ input, path, emit, args: [table, key] }) =>
    table?.(input, undefined, (rows) => {
      const made: JqValue[] = [];
      for (const each of elements(input))
        key?.(each, undefined, (name) => made.push([each, indexed(rows, name)]));
      emit(made, computed(path));
    }),
  "JOIN/3": ({ input, path, emit, args: [table, rows, key] }) =>
    table?.(input, undefined, (index) =>
      rows?.(input, undefined, (row) =>
        key?.(row, undefined, (name) => emit([row, indexed(index, name)], computed(path))),
      ),
    ),
  "JOIN/4": ({ input, path, emit, args: [table, rows, key, join] }) =>
    table?.(input, undefined, (index) =>
      rows?.(input, undefined, (row) =>
        key?.(row, undefined, (name) =>
          join?.([row, indexed(index, name)], undefined, (value) => emit(value, computed(path))),
        ),
      ),
    ),
  "IN/1": ({ input, path, emit, args: [values] }) =>
    emit(
      isAny(values, input, (value) => compare(value, input) === 0),
      computed(path),
    ),
  "IN/2": ({ input, path, emit, args: [source, values] }) =>
    emit(
      isAny(source, input, (own) => isAny(values, input, (value) => compare(value, own) === 0)),
      computed(path),
    ),
};

function halt(value: JqValue): never {
  throw new Halted(`halt error: ${typeof value === "string" ? value : printJq(value)}`);
}

function elements(input: JqValue): readonly JqValue[] {
  const found = elementsOf(input);
  if (found === undefined) throw failure(`cannot iterate over: ${described(input)}`);
  return found;
}

function numberOf(value: JqValue, name: string): number {
  if (!isNumeric(value)) throw unfit(name, value);
  return Number(value);
}

/** Defines `arrays`, `numbers` and the other functions that pass values of one type. */
function selections(): Builtins {
  const tests: Readonly<Record<string, (value: JqValue) => boolean>> = {
    arrays: isList,
    objects: isRecord,
    iterables: (value) => isList(value) || isRecord(value),
    booleans: (value) => typeof value === "boolean",
    numbers: isNumeric,
    finites: (value) => isNumeric(value) && Math.abs(Number(value)) !== Number.POSITIVE_INFINITY,
    normals: (value) => isNumeric(value) && isNormal(Number(value)),
    strings: (value) => typeof value === "string",
    nulls: (value) => value === null,
    values: (value) => value !== null,
    scalars: (value) => typeOf(value) !== "array" && typeOf(value) !== "object",
  };
  const call =
    (test: (value: JqValue) => boolean): BuiltinCall =>
    ({ input, path, emit }) => {
      if (test(input)) emit(input, path);
    };
  return Object.fromEntries(Object.entries(tests).map(([name, test]) => [`${name}/0`, call(test)]));
}

/** Defines `all` and `any`, which stop at the first decisive value. */
function quantifiers(name: string, decisive: boolean): Builtins {
  const decided = (values: readonly JqValue[], test: Closure | undefined) =>
    values.some((value) => isAny(test, value, (holds) => isTruthy(holds) === decisive)) === decisive;
  return {
    [`${name}/0`]: plain(
      (input) => elements(input).some((value) => isTruthy(value) === decisive) === decisive,
    ),
    [`${name}/1`]: ({ input, path, emit, args: [test] }) =>
      emit(decided(elements(input), test), computed(path)),
    [`${name}/2`]: ({ input, path, emit, args: [source, test] }) => {
      const isDecided = isAny(source, input, (value) =>
        isAny(test, value, (holds) => isTruthy(holds) === decisive),
      );
      emit(isDecided === decisive, computed(path));
    },
  };
}

/** Whether a query returns a value that passes. Stops at the first one. */
function isAny(query: Closure | undefined, input: JqValue, passes: (value: JqValue) => boolean): boolean {
  let isFound = false;
  leaving((leave) =>
    query?.(input, undefined, (value) => {
      if (!passes(value)) return;
      isFound = true;
      leave();
    }),
  );
  return isFound;
}

function isEmpty(query: Closure, input: JqValue): boolean {
  return !isAny(query, input, () => true);
}

type Place = Pick<JqCall, "input" | "path" | "emit">;

/** Emits the value at an index among those of a query. The values after it are never computed. */
function nth(body: Closure, place: number, { input, path, emit }: Place): void {
  let left = place + 1;
  let found: readonly [JqValue, JqPath] | undefined;
  leaving((leave) =>
    body(input, path, (value, at) => {
      left--;
      if (left > 0) return;
      found = [value, at];
      leave();
    }),
  );
  if (found !== undefined) emit(...found);
}

function limited(body: Closure, most: number, { input, path, emit }: Place): void {
  if (most < 0) body(input, path, emit);
  if (!(most > 0)) return;
  let left = most;
  leaving((leave) =>
    body(input, path, (value, at) => {
      left--;
      emit(value, at);
      if (left <= 0) leave();
    }),
  );
}

function whileTrue(value: JqValue, path: JqPath, test: Closure | undefined, visit: Emit): void {
  test?.(value, undefined, (holds) => {
    if (isTruthy(holds)) visit(value, path);
  });
}

function ranges(
  call: JqCall,
  read: (values: readonly JqValue[]) => readonly [JqValue, JqValue, JqValue],
): void {
  const { run, input, path, emit, args } = call;
  eachInOrder(args, input, (values) => {
    const [start, end, step] = read(values);
    for (const bound of [start, end, step]) if (!isNumeric(bound)) throw unfit("range", bound);
    const direction = Math.sign(compare(step, 0));
    for (let value = start; direction * Math.sign(compare(value, end)) < 0; value = add(value, step, run)) {
      run.step();
      emit(value, computed(path));
    }
  });
}

function eachPlace(input: JqValue, path: JqPath, visit: Emit): void {
  if (isList(input))
    for (const [index, each] of input.entries()) visit(each, below(path, index, input, true));
  else if (isRecord(input))
    for (const key of keysOf(input)) visit(fieldOf(input, key), below(path, key, input, true));
  else throw failure(`cannot iterate over: ${described(input)}`);
}

/** Emits the keys of every place except the one where the paths begin. */
function handOnPath(value: JqValue, place: JqPath, path: JqPath, emit: Emit): void {
  const keys = keysTo(place, value);
  if (keys.length > 0) emit(keys, computed(path));
}

/**
 * Applies `change` to each element of an array, keeping all its values, or to each field of an object, keeping the
 * first.
 */
function walked(input: JqValue, change: Closure, run: Run, visit: (value: JqValue) => void): void {
  run.step();
  let inner = input;
  if (isList(input)) {
    const made: JqValue[] = [];
    for (const each of input) walked(each, change, run, (value) => made.push(value));
    inner = made;
  } else if (isRecord(input)) {
    const entries = Object.entries(input).flatMap(([key, each]): (readonly [string, JqValue])[] => {
      const made: JqValue[] = [];
      walked(each, change, run, (value) => made.push(value));
      return made[0] === undefined ? [] : [[key, made[0]]];
    });
    inner = recordOf(entries);
  }
  change(inner, undefined, visit);
}

function combined(
  lists: readonly (readonly JqValue[])[],
  made: readonly JqValue[],
  run: Run,
  visit: (value: JqValue) => void,
): void {
  const list = lists[made.length];
  run.step(2 * made.length + 2); // Each combination is a separate list.
  if (list === undefined) visit(made);
  else for (const each of list) combined(lists, [...made, each], run, visit);
}

/** Visits the leaves with their paths, and the end of each container. */
function streamed(value: JqValue, path: readonly JqValue[], visit: (event: JqValue) => void): void {
  const keys: readonly JqValue[] = isList(value) ? [...value.keys()] : isRecord(value) ? keysOf(value) : [];
  spend(path.length + 2); // Each event has its own path.
  if (keys.length === 0) visit([path, value]);
  for (const key of keys) streamed(indexed(value, key), [...path, key], visit);
  const last = keys.at(-1);
  if (last !== undefined) visit([[...path, last]]);
}

function tableOf(rows: readonly JqValue[], key: Closure | undefined, run: Run): JqValue {
  run.step(rows.length);
  const entries: (readonly [string, JqValue])[] = [];
  for (const row of rows) key?.(row, undefined, (name) => entries.push([textOf(name), row]));
  return recordOf(entries);
}
