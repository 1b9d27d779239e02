// Methods on arrays. They are implemented in runtime/mapping/arrays.ts and sorting.ts.

import { type Builtin, type Details, method, optional, optionalQuery, parameter, query } from "./builtin.ts";
import {
  elementOfTarget,
  enumeratedElements,
  flattened,
  sameElements,
  sortedElements,
  splitByQuery,
  unlessCountable,
  unlessOrdered,
  unlessQueryIsOrdered,
  withArrays,
  withElements,
  zipped,
} from "./results/elements.ts";
import { unlessFromStart } from "./results/numbers.ts";
import {
  filtered,
  folded,
  indexByQuery,
  indexesByQuery,
  mapped,
  tested,
  unlessTestIsBool,
} from "./results/queries.ts";
import { integers } from "./results/shapes.ts";
import { always, likeTarget } from "./results/target.ts";

const module = "arrays.ts";
const overArray: Details = { targets: ["array"], returns: "array", canFail: false };
/** A test that does not return a bool fails. */
const tests: Details = { targets: ["array"], fails: unlessTestIsBool };
const test: Details = { ...tests, returns: "bool", result: tested, args: [query("test", "element")] };

export const arrays: readonly Builtin[] = [
  method(module, "map_each", "Each element, or each value of an object, replaced by what a query gives.", {
    targets: ["array", "object"],
    args: [{ ...query("query", "element"), named: "failing" }],
    result: mapped,
    canFail: false,
  }),
  method(module, "filter", "The elements, or the keys of an object, for which a query gives true.", {
    targets: ["array", "object"],
    args: [query("test", "element")],
    result: filtered,
    canFail: false,
  }),
  method(module, "fold", "What a query makes of all elements, one after the other.", {
    targets: ["array"],
    args: [parameter("initial", "any"), query("query", "element")],
    result: folded,
    canFail: false,
  }),
  method(module, "any", "Whether a query gives true for at least one element.", test),
  method(module, "all", "Whether a query gives true for every element.", test),
  method(module, "append", "With more elements at the end.", {
    ...overArray,
    result: withElements,
    variadic: true,
  }),
  method(module, "concat", "With the elements of other arrays at the end.", {
    ...overArray,
    result: withArrays,
    variadic: true,
    variadicType: "array",
    plugin: true,
  }),
  method(module, "zip", "Arrays of the first elements, the second ones, and so on.", {
    ...overArray,
    result: zipped,
    // It fails for arrays of different lengths.
    canFail: true,
    variadic: true,
    variadicType: "array",
    plugin: true,
  }),
  method(module, "enumerated", "Objects of each element's index and value.", {
    ...overArray,
    result: enumeratedElements,
  }),
  method(module, "flatten", "With elements that are arrays replaced by their elements.", {
    ...overArray,
    result: flattened,
  }),
  method(module, "find", "The index of the first element equal to a value, -1 where none is.", {
    ...overArray,
    returns: "integer",
    args: [parameter("value", "any")],
  }),
  method(module, "find_by", "The index of the first element for which a query gives true, or -1.", {
    ...tests,
    returns: "integer",
    result: indexByQuery,
    args: [query("query", "element")],
  }),
  method(module, "find_all", "The indexes of all elements equal to a value.", {
    ...overArray,
    result: always(integers),
    args: [parameter("value", "any")],
  }),
  method(module, "find_all_by", "The indexes of all elements for which a query gives true.", {
    ...tests,
    returns: "array",
    result: indexesByQuery,
    args: [query("query", "element")],
  }),
  method(module, "index", "The element at an index, counted from the end where it is negative.", {
    targets: ["array", "bytes"],
    args: [parameter("index", "integer")],
    result: elementOfTarget,
    symbol: "elementAt",
  }),
  method(module, "slice", "The part from one bound up to another.", {
    targets: ["array", "string", "bytes"],
    args: [parameter("low", "integer"), optional("high", "integer")],
    rule: "slice",
    result: likeTarget,
    fails: unlessFromStart,
    symbol: "partOf",
  }),
  method("sorting.ts", "sort", "In order of numbers or texts, or as a query compares `left` and `right`.", {
    ...overArray,
    canFail: true,
    fails: unlessOrdered,
    result: sortedElements,
    args: [optionalQuery("compare", "element")],
  }),
  method("sorting.ts", "sort_by", "In order of what a query gives for each element.", {
    ...overArray,
    canFail: true,
    fails: unlessQueryIsOrdered,
    result: sameElements,
    args: [{ ...query("query", "element"), named: "always" }],
  }),
  method("sorting.ts", "unique", "Without the elements, or results of a query, that came before.", {
    ...overArray,
    canFail: true,
    fails: unlessCountable,
    result: sameElements,
    args: [optionalQuery("emit", "element")],
  }),
  method("splitting.ts", "split_by", "The parts between characters, bytes or elements a query accepts.", {
    targets: ["string", "bytes", "array"],
    returns: "array",
    result: splitByQuery,
    canFail: false,
    args: [query("predicate", "element")],
  }),
];
