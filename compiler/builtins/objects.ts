// Methods on objects and paths, and the results of those that affect a whole object. They are implemented in
// runtime/mapping/objects.ts and merging.ts.

import { type Builtin, type Details, method, parameter, query } from "./builtin.ts";
import { assigned, entriesOfTarget, keysOfTarget, merged, valuesOfTarget } from "./results/objects.ts";
import {
  exploded,
  unlessExplodable,
  unlessPathIsFree,
  valueAtPath,
  withFieldsKept,
  withFieldsRemoved,
  withValueAtPath,
} from "./results/paths.ts";
import { renamed, unlessKeyIsText } from "./results/queries.ts";

const module = "objects.ts";
const listed: Details = { targets: ["object"], returns: "array", canFail: false };
const either: Details = { targets: ["object", "array"] };

export const objects: readonly Builtin[] = [
  method(module, "get", "What stands at a path, null where nothing does.", {
    args: [parameter("path", "string")],
    result: valueAtPath,
    canFail: false,
  }),
  method(module, "set", "With a value at a path.", {
    targets: ["object", "array", "null"],
    args: [parameter("path", "string"), parameter("value", "any")],
    result: withValueAtPath,
    fails: unlessPathIsFree,
    symbol: "setAt",
  }),
  method(module, "exists", "Whether anything stands at a path.", {
    args: [parameter("path", "string")],
    returns: "bool",
    canFail: false,
  }),
  method(module, "keys", "The keys, sorted.", { ...listed, result: keysOfTarget }),
  method(module, "values", "The values, in order of their keys.", { ...listed, result: valuesOfTarget }),
  method(module, "key_values", "Objects of each key and value, in order of the keys.", {
    ...listed,
    result: entriesOfTarget,
  }),
  method(module, "map_each_key", "With each key replaced by what a query gives.", {
    targets: ["object"],
    returns: "object",
    args: [query("query", "element")],
    result: renamed,
    fails: unlessKeyIsText,
  }),
  method(module, "with", "With nothing but what stands at some paths.", {
    targets: ["object"],
    returns: "object",
    result: withFieldsKept,
    canFail: false,
    variadic: true,
    variadicType: "string",
    symbol: "withPaths",
    plugin: true,
  }),
  method(module, "without", "Without what stands at some paths.", {
    targets: ["object"],
    returns: "object",
    result: withFieldsRemoved,
    canFail: false,
    variadic: true,
    variadicType: "string",
    symbol: "withoutPaths",
  }),
  method(module, "collapse", "One object whose keys are the paths of all values.", {
    ...either,
    returns: "object",
    canFail: false,
    args: [parameter("include_empty", "bool", false)],
  }),
  method(module, "explode", "A copy for each element or key at a path, with that alone in its place.", {
    targets: ["object"],
    args: [parameter("path", "string")],
    result: exploded,
    fails: unlessExplodable,
  }),
  method("merging.ts", "merge", "Both together; what stands in both becomes an array.", {
    ...either,
    args: [parameter("with", "any")],
    result: merged,
    canFail: false,
  }),
  method("merging.ts", "assign", "Both together; what stands in both is taken from the argument.", {
    ...either,
    args: [parameter("with", "any")],
    result: assigned,
    canFail: false,
  }),
  method("merging.ts", "squash", "All objects of an array merged into one.", {
    targets: ["array"],
    returns: "object",
    canFail: false,
    plugin: true,
  }),
  method("schemas.ts", "infer_schema", "The schema that fits a value.", { returns: "object", plugin: true }),
];
