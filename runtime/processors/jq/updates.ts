// `=`, `|=` and the other update operators, which replace the values at paths.

import { computed, type Filter, keysTo, leaving, pathStart } from "./filter.ts";
import { operations } from "./operators.ts";
import { deletePaths, getPath, setPath } from "./paths.ts";
import type { Run } from "./run.ts";
import { isTruthy, type JqValue } from "./values.ts";

/** Compiles an update. `operator`: see the kind `Update` of `JqQuery`. */
export function compileUpdate(operator: string, left: Filter, right: Filter): Filter {
  if (operator === "|")
    return (scope, input, path, emit) =>
      emit(
        modified(
          input,
          scope.run,
          (visit) => left(scope, input, pathStart, visit),
          (value, handOn) => right(scope, value, undefined, handOn),
        ),
        computed(path),
      );
  if (operator === "")
    return (scope, input, path, emit) =>
      right(scope, input, undefined, (value) => {
        let state = input;
        left(scope, input, pathStart, (target, place) => {
          state = setPath(state, keysTo(place, target), value, scope.run);
        });
        emit(state, computed(path));
      });
  const change = operator === "//" ? alternative : operations[operator];
  if (change === undefined) throw new Error(`no operator ${operator}`);
  return (scope, input, path, emit) =>
    right(scope, input, undefined, (operand) =>
      emit(
        modified(
          input,
          scope.run,
          (visit) => left(scope, input, pathStart, visit),
          (value, handOn) => handOn(change(value, operand, scope.run)),
        ),
        computed(path),
      ),
    );
}

function alternative(value: JqValue, fallback: JqValue): JqValue {
  return isTruthy(value) ? value : fallback;
}

/** Replaces the value at each place by the first result of `change`. If there is no result, deletes the place. */
export function modified(
  input: JqValue,
  run: Run,
  places: (visit: (value: JqValue, place: Parameters<typeof keysTo>[0]) => void) => void,
  change: (value: JqValue, handOn: (changed: JqValue) => void) => void,
): JqValue {
  let state = input;
  const deleted: (readonly JqValue[])[] = [];
  places((target, place) => {
    const keys = keysTo(place, target);
    let isThere = false;
    leaving((leave) =>
      change(getPath(state, keys), (value) => {
        state = setPath(state, keys, value, run);
        isThere = true;
        leave();
      }),
    );
    if (!isThere) deleted.push(keys);
  });
  return deletePaths(state, deleted, run);
}
