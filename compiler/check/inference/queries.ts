// Arguments that are queries in, their types for whatever they are asked about out.

import type { CallTypes } from "../../builtins/builtin.ts";
import type { Expression } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { arrayOf, string, type Type, unknown } from "../../value-types/type.ts";
import { sameType, unionOf } from "../../value-types/union.ts";
import type { CheckedCall } from "../mapping/checked.ts";
import { shownTypes } from "./demands.ts";
import { findState, type TypeEnvironment } from "./environment.ts";
import { createPlace, type Place } from "./place.ts";
import { entered, fail, type Scope } from "./scope.ts";

/** An argument may be inferred for this many types of elements; of more its type is not known. */
const mostElements = 64;

/** The queries among the arguments of one call. */
export interface Queries {
  readonly resultOf: CallTypes["queryResult"];
  /** Infers those that were not requested. */
  readonly inferRest: () => void;
  /** Tells of tests that never give a bool. */
  readonly requireTests: () => void;
  /** The elements that pass the test of a filter. */
  readonly narrowElements: (result: Type) => Type;
}

/** The queries of a call on `target`. */
export function createQueries({ builtin, args }: CheckedCall, target: Type, scope: Scope): Queries {
  // The fields of an object are asked about one by one, and a tally changes from element to element.
  const isRepeated = scope.isRepeated || target.kind !== "Array" || builtin.name === "fold";
  const known = new Map<number, { readonly element: Type; readonly result: Type; readonly passed: Type }[]>();
  const resultOf = (index: number, element: Type): Type => {
    const earlier = known.get(index) ?? [];
    const found = earlier.find((each) => sameType(each.element, element));
    if (found !== undefined) return found.result;
    const arg = args[index];
    if (arg === undefined) return unknown;
    const { result, passed } = inferQueryArgument(arg, builtin.parameters[index]?.query, element, {
      ...scope,
      isRepeated,
    });
    known.set(index, [...earlier, { element, result, passed }]);
    return result;
  };
  return {
    resultOf,
    inferRest() {
      for (const [index, parameter] of builtin.parameters.entries()) {
        if (parameter.query !== undefined && args[index] !== undefined && !known.has(index))
          resultOf(index, unknown);
      }
    },
    requireTests() {
      for (const [index, { name }] of builtin.parameters.entries()) {
        const results = unionOf((known.get(index) ?? []).map((each) => each.result));
        const arg = name === "test" ? args[index] : undefined;
        if (arg !== undefined) requireTest(arg, results, scope);
      }
    },
    narrowElements(result) {
      const [first, ...others] = known.get(0) ?? [];
      return result.kind === "Array" && first !== undefined && others.length === 0
        ? arrayOf(first.passed)
        : result;
    },
  };
}

function inferQueryArgument(
  arg: Expression,
  context: "element" | "same" | "error" | undefined,
  element: Type,
  scope: Scope,
): { readonly result: Type; readonly passed: Type } {
  const { queries } = scope.inference.memory;
  const times = queries.get(arg) ?? 0;
  queries.set(arg, times + 1);
  if (times >= mostElements) {
    fail(scope, arg.span, "type", "too many types are possible here");
    return { result: unknown, passed: element };
  }
  if (context === "same") return { result: scope.inference.infer(arg, scope), passed: element };
  const place = createPlace("this");
  const inner = entered(scope, place, context === "error" ? string : element);
  const test = scope.inference.test(arg, inner);
  return {
    result: test.type,
    get passed() {
      return typeIn(test.whenTrue(), place, element);
    },
  };
}

function typeIn(environment: TypeEnvironment, place: Place, otherwise: Type): Type {
  return findState(environment, place)?.type ?? otherwise;
}

/** What is taken for a test has to give bools, or nothing ever passes. */
function requireTest(arg: Expression, results: Type, scope: Scope): void {
  const alternatives = alternativesOf(results);
  const isPossible = alternatives.some(({ kind }) => kind === "Bool" || kind === "Unknown");
  if (isPossible || alternatives.length === 0 || scope.isGuarded) return;
  scope.inference.report("GW3111", (arg.kind === "Lambda" ? arg.body : arg).span, {
    found: shownTypes([results]),
  });
}
