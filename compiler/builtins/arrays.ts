// Methods on arrays; the code is in runtime/mapping/arrays.ts and sorting.ts.

import { type Builtin, type Details, method, optional, parameter, query } from "./builtin.ts";

const module = "arrays.ts";
const overArray: Details = { targets: ["array"], returns: "array" };
const test: Details = { targets: ["array"], returns: "bool", args: [query("test", "element")] };

export const arrays: readonly Builtin[] = [
  method(module, "map_each", "Each element, or each value of an object, replaced by what a query gives.", {
    targets: ["array", "object"],
    args: [query("query", "element")],
  }),
  method(module, "filter", "The elements, or the keys of an object, for which a query gives true.", {
    targets: ["array", "object"],
    args: [query("test", "element")],
  }),
  method(module, "fold", "What a query makes of all elements, one after the other.", {
    targets: ["array"],
    args: [parameter("initial", "any"), query("query", "element")],
  }),
  method(module, "any", "Whether a query gives true for at least one element.", test),
  method(module, "all", "Whether a query gives true for every element.", test),
  method(module, "append", "With more elements at the end.", { ...overArray, variadic: true }),
  method(module, "concat", "With the elements of other arrays at the end.", {
    ...overArray,
    variadic: true,
    plugin: true,
  }),
  method(module, "zip", "Arrays of the first elements, the second ones, and so on.", {
    ...overArray,
    variadic: true,
    plugin: true,
  }),
  method(module, "enumerated", "Objects of each element's index and value.", overArray),
  method(module, "flatten", "With elements that are arrays replaced by their elements.", overArray),
  method(module, "find", "The index of the first element equal to a value, -1 where none is.", {
    ...overArray,
    returns: "number",
    args: [parameter("value", "any")],
  }),
  method(module, "find_by", "The index of the first element for which a query gives true, or -1.", {
    ...overArray,
    returns: "number",
    args: [query("query", "element")],
  }),
  method(module, "find_all", "The indexes of all elements equal to a value.", {
    ...overArray,
    args: [parameter("value", "any")],
  }),
  method(module, "find_all_by", "The indexes of all elements for which a query gives true.", {
    ...overArray,
    args: [query("query", "element")],
  }),
  method(module, "index", "The element at an index, counted from the end where it is negative.", {
    targets: ["array", "bytes"],
    args: [parameter("index", "integer")],
    symbol: "elementAt",
  }),
  method(module, "slice", "The part from one bound up to another.", {
    targets: ["array", "string", "bytes"],
    args: [parameter("low", "integer"), optional("high", "integer")],
    symbol: "part",
  }),
  method("sorting.ts", "sort", "In order of numbers or texts, or as a query compares `left` and `right`.", {
    ...overArray,
    args: [{ ...query("compare", "element"), optional: true }],
  }),
  method("sorting.ts", "sort_by", "In order of what a query gives for each element.", {
    ...overArray,
    args: [query("query", "element")],
  }),
  method("sorting.ts", "unique", "Without the elements, or results of a query, that came before.", {
    ...overArray,
    args: [{ ...query("emit", "element"), optional: true }],
  }),
  method("splitting.ts", "split_by", "The parts between characters, bytes or elements a query accepts.", {
    targets: ["string", "bytes", "array"],
    returns: "array",
    args: [query("predicate", "element")],
  }),
];
