// Path steps, `.a`, `.[1:2]` and `.[]`; and `reduce` and `foreach`, which carry a state from value to value.

import { attempting } from "./attempt.ts";
import { below, computed, type Emit, type Filter, type JqPath, type JqScope } from "./filter.ts";
import type { JqNames } from "./names.ts";
import { indexed, sliced } from "./paths.ts";
import { type CompileQuery, compilePattern } from "./patterns.ts";
import type { JqQuery } from "./syntax.ts";
import { described, failure, fieldOf, isList, isRecord, type JqValue, keysOf } from "./values.ts";

type StepQuery = Extract<JqQuery, { kind: "Index" | "Slice" | "Iterate" }>;

/** The value from which a step starts. Keys and bounds are computed from `input`. */
interface From {
  readonly scope: JqScope;
  readonly input: JqValue;
  readonly value: JqValue;
  readonly place: JqPath;
}

/** Compiles a step from each value of its target. With a `?`, a failing step returns nothing. */
export function compileStep(query: StepQuery, compile: (inner: JqQuery) => Filter): Filter {
  const target = compile(query.target);
  const step = stepOf(query, compile);
  const take: typeof step =
    query.isQuiet === undefined
      ? step
      : (from, emit) =>
          attempting(
            (handOn) => step(from, (value, place) => handOn(() => emit(value, place))),
            () => undefined,
          );
  return (scope, input, path, emit) =>
    target(scope, input, path, (value, place) => take({ scope, input, value, place }, emit));
}

function stepOf(query: StepQuery, compile: (inner: JqQuery) => Filter): (from: From, emit: Emit) => void {
  if (query.kind === "Iterate") return iterate;
  if (query.kind === "Index") {
    const key = compile(query.key);
    return ({ scope, input, value, place }, emit) =>
      key(scope, input, undefined, (name) => emit(indexed(value, name), below(place, name, value)));
  }
  const [start, end] = [query.from, query.to].map((bound) => (bound === undefined ? open : compile(bound)));
  return ({ scope, input, value, place }, emit) =>
    end?.(scope, input, undefined, (last) =>
      start?.(scope, input, undefined, (first) =>
        emit(sliced(value, first, last), below(place, { start: first, end: last }, value)),
      ),
    );
}

/** An omitted bound. */
const open: Filter = (_, __, ___, emit) => emit(null, undefined);

function iterate({ scope: { run }, value, place }: From, emit: Emit): void {
  if (isList(value)) {
    for (let index = 0; index < value.length; index++) {
      run.step();
      emit(value[index] ?? null, below(place, index, value, true));
    }
  } else if (isRecord(value)) {
    for (const key of keysOf(value)) {
      run.step();
      emit(fieldOf(value, key), below(place, key, value, true));
    }
  } else throw failure(`cannot iterate over: ${described(value)}`);
}

/** The last value of an update is the next state. If there is no value, the state does not change. */
export function compileFold(
  query: Extract<JqQuery, { kind: "Reduce" | "Foreach" }>,
  names: JqNames | undefined,
  compile: CompileQuery,
): Filter {
  const [source, start] = [compile(query.source, names), compile(query.start, names)];
  const { bind, names: inner } = compilePattern(query.pattern, names, compile);
  const update = compile(query.update, inner);
  const extract =
    query.kind === "Foreach" && query.extract !== undefined ? compile(query.extract, inner) : undefined;
  const isReduce = query.kind === "Reduce";
  return (scope, input, path, emit) =>
    start(scope, input, undefined, (first) => {
      let state: JqValue = first;
      source(scope, input, undefined, (value) =>
        bind(scope, input, value, (bound) => {
          scope.run.step();
          update(bound, state, undefined, (next) => {
            state = next;
            if (isReduce) return;
            if (extract === undefined) emit(next, computed(path));
            else extract(bound, next, computed(path), emit);
          });
        }),
      );
      if (isReduce) emit(state, computed(path));
    });
}
