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
  method(module, "get", "The value at a path, or null if the path does not exist.", {
    args: [parameter("path", "string")],
    result: valueAtPath,
    canFail: false,
  }),
  method(module, "set", "Sets the value at a path.", {
    targets: ["object", "array", "null"],
    args: [parameter("path", "string"), parameter("value", "any")],
    result: withValueAtPath,
    fails: unlessPathIsFree,
    symbol: "setAt",
  }),
  method(module, "exists", "Whether a path exists.", {
    args: [parameter("path", "string")],
    returns: "bool",
    canFail: false,
  }),
  method(module, "keys", "The keys, sorted.", { ...listed, result: keysOfTarget }),
  method(module, "values", "The values, sorted by their keys.", { ...listed, result: valuesOfTarget }),
  method(module, "key_values", "An array of objects with each key and its value, sorted by key.", {
    ...listed,
    result: entriesOfTarget,
  }),
  method(module, "map_each_key", "Replaces each key with the result of a query.", {
    targets: ["object"],
    returns: "object",
    args: [query("query", "element")],
    result: renamed,
    fails: unlessKeyIsText,
  }),
  method(module, "with", "Keeps only the values at the given paths.", {
    targets: ["object"],
    returns: "object",
    result: withFieldsKept,
    canFail: false,
    variadic: true,
    variadicType: "string",
    symbol: "withPaths",
  }),
  method(module, "without", "Removes the values at the given paths.", {
    targets: ["object"],
    returns: "object",
    result: withFieldsRemoved,
    canFail: false,
    variadic: true,
    variadicType: "string",
    symbol: "withoutPaths",
  }),
  method(module, "collapse", "Flattens the value into one object with the path of each value as its key.", {
    ...either,
    returns: "object",
    canFail: false,
    args: [parameter("include_empty", "bool", false)],
  }),
  method(
    module,
    "explode",
    "Expands the value at a path: one copy for each of its elements or keys, with only that one at the path.",
    {
      targets: ["object"],
      args: [parameter("path", "string")],
      result: exploded,
      fails: unlessExplodable,
    },
  ),
  method("merging.ts", "merge", "Merges two values. Values that exist in both are combined into an array.", {
    ...either,
    args: [parameter("with", "any")],
    result: merged,
    canFail: false,
  }),
  method(
    "merging.ts",
    "assign",
    "Merges two values. Values that exist in both are taken from the argument.",
    {
      ...either,
      args: [parameter("with", "any")],
      result: assigned,
      canFail: false,
    },
  ),
  method("merging.ts", "squash", "Merges all objects of an array into one.", {
    targets: ["array"],
    returns: "object",
    canFail: false,
  }),
  method("schemas.ts", "infer_schema", "Infers the schema of a value.", { returns: "object" }),
];
