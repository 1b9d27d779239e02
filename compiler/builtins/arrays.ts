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
  method(
    module,
    "map_each",
    "Replaces each element, or each value of an object, with the result of a query.",
    {
      targets: ["array", "object"],
      args: [{ ...query("query", "element"), named: "failing" }],
      result: mapped,
      canFail: false,
    },
  ),
  method(module, "filter", "The elements, or the keys of an object, for which a query returns true.", {
    targets: ["array", "object"],
    args: [query("test", "element")],
    result: filtered,
    canFail: false,
  }),
  method(module, "fold", "Combines all elements into one value by running a query on each in turn.", {
    targets: ["array"],
    args: [parameter("initial", "any"), query("query", "element")],
    result: folded,
    canFail: false,
  }),
  method(module, "any", "Whether a query returns true for at least one element.", test),
  method(module, "all", "Whether a query returns true for every element.", test),
  method(module, "append", "Appends elements to the array.", {
    ...overArray,
    result: withElements,
    variadic: true,
  }),
  method(module, "concat", "Appends the elements of other arrays to the array.", {
    ...overArray,
    result: withArrays,
    variadic: true,
    variadicType: "array",
  }),
  method(
    module,
    "zip",
    "Combines arrays of the same length into an array of arrays: the first elements, the second ones, and so on.",
    {
      ...overArray,
      result: zipped,
      // It fails for arrays of different lengths.
      canFail: true,
      variadic: true,
      variadicType: "array",
    },
  ),
  method(module, "enumerated", "An array of objects with the index and the value of each element.", {
    ...overArray,
    result: enumeratedElements,
  }),
  method(module, "flatten", "Replaces each element that is an array with its elements.", {
    ...overArray,
    result: flattened,
  }),
  method(module, "find", "The index of the first element that is equal to a value, or -1 if there is none.", {
    ...overArray,
    returns: "integer",
    args: [parameter("value", "any")],
  }),
  method(
    module,
    "find_by",
    "The index of the first element for which a query returns true, or -1 if there is none.",
    {
      ...tests,
      returns: "integer",
      result: indexByQuery,
      args: [query("query", "element")],
    },
  ),
  method(module, "find_all", "The indexes of all elements that are equal to a value.", {
    ...overArray,
    result: always(integers),
    args: [parameter("value", "any")],
  }),
  method(module, "find_all_by", "The indexes of all elements for which a query returns true.", {
    ...tests,
    returns: "array",
    result: indexesByQuery,
    args: [query("query", "element")],
  }),
  method(module, "index", "The element at an index. A negative index counts from the end.", {
    targets: ["array", "bytes"],
    args: [parameter("index", "integer")],
    result: elementOfTarget,
    symbol: "elementAt",
  }),
  method(module, "slice", "The part from a lower bound up to, but not including, an upper bound.", {
    targets: ["array", "string", "bytes"],
    args: [parameter("low", "integer"), optional("high", "integer")],
    rule: "slice",
    result: likeTarget,
    fails: unlessFromStart,
    symbol: "partOf",
  }),
  method(
    "sorting.ts",
    "sort",
    "Sorts numbers or strings in ascending order, or by a query that compares `left` and `right`.",
    {
      ...overArray,
      canFail: true,
      fails: unlessOrdered,
      result: sortedElements,
      args: [optionalQuery("compare", "element")],
    },
  ),
  method("sorting.ts", "sort_by", "Sorts the elements by the result of a query for each element.", {
    ...overArray,
    canFail: true,
    fails: unlessQueryIsOrdered,
    result: sameElements,
    args: [{ ...query("query", "element"), named: "always" }],
  }),
  method(
    "sorting.ts",
    "unique",
    "Removes duplicate elements, or elements for which a query returns the same result as for an earlier one.",
    {
      ...overArray,
      canFail: true,
      fails: unlessCountable,
      result: sameElements,
      args: [optionalQuery("emit", "element")],
    },
  ),
  method(
    "splitting.ts",
    "split_by",
    "Splits at the characters, bytes or elements for which a query returns true.",
    {
      targets: ["string", "bytes", "array"],
      returns: "array",
      result: splitByQuery,
      canFail: false,
      args: [query("predicate", "element")],
    },
  ),
];
