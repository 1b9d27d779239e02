// `reduce` and `foreach`: a state that goes from value to value.

import { computed, type Filter } from "./filter.ts";
import type { JqNames } from "./names.ts";
import { type CompileQuery, compilePattern } from "./patterns.ts";
import type { JqQuery } from "./syntax.ts";
import type { JqValue } from "./values.ts";

/** The last of what an update makes is the next state; one that makes nothing leaves it as it was. */
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
