// Functions and methods for values of every type. They are implemented in runtime/mapping/general.ts and
// environment.ts; those without an implementation belong to the language itself.

import { arrayOf, nothingType, unknown } from "../value-types/type.ts";
import { type Builtin, type Details, fn, method, optional, parameter, query } from "./builtin.ts";
import { asArray, asBool, asText, nameOfType, opposite, unlessBoolOrDefault } from "./results/conversions.ts";
import { unlessSmallLength } from "./results/numbers.ts";
import { textOrNull } from "./results/shapes.ts";
import {
  always,
  catchFallback,
  deletion,
  notEmpty,
  notNull,
  onNull,
  orFallback,
  queryOfTarget,
} from "./results/target.ts";

const module = "general.ts";
const here = "environment.ts";
/** The results of functions that read from the machine vary, but they never fail. */
const machine: Details = { pure: false, canFail: false };

export const general: readonly Builtin[] = [
  fn(module, "deleted", "Deletes the target of the assignment.", {
    inline: true,
    result: deletion,
    canFail: false,
  }),
  fn(module, "nothing", "Leaves the target of the assignment unchanged.", {
    inline: true,
    result: always(nothingType),
    canFail: false,
  }),
  fn(module, "var", "The value of a variable.", { inline: true, args: [parameter("name", "string")] }),
  fn(module, "throw", "Fails with an error message.", {
    args: [parameter("why", "string")],
    returns: "never",
    symbol: "throwError",
  }),
  method(module, "or", "The target, or a fallback if the target fails or is null.", {
    inline: true,
    args: [query("fallback", "same")],
    result: orFallback,
    canFail: false,
  }),
  method(module, "catch", "The target, or a fallback if the target fails.", {
    inline: true,
    args: [query("fallback", "error")],
    result: catchFallback,
    canFail: false,
  }),
  method(module, "map", "Evaluates a query with the target as `this`.", {
    inline: true,
    args: [query("query", "element")],
    result: queryOfTarget,
    canFail: false,
  }),
  method(module, "apply", "Applies a named map to the target.", {
    inline: true,
    args: [parameter("mapping", "string")],
  }),
  method(module, "from", "Evaluates the target for the message of the batch at an index.", {
    inline: true,
    args: [parameter("index", "integer")],
  }),
  method(
    module,
    "from_all",
    "Evaluates the target for each message of the batch. Returns an array of the results.",
    {
      inline: true,
      returns: "array",
      result: always(arrayOf(unknown)),
    },
  ),
  method("operators.ts", "not", "The negation of a bool.", {
    targets: ["bool"],
    returns: "bool",
    result: opposite,
    canFail: false,
  }),
  method(module, "string", "Converts any value to a string.", {
    returns: "string",
    result: asText,
    canFail: false,
  }),
  method(module, "bytes", "Converts any value to a string, as bytes.", { returns: "bytes", canFail: false }),
  fn(module, "bytes", "A number of zero bytes.", {
    args: [parameter("length", "integer")],
    returns: "bytes",
    fails: unlessSmallLength,
    rule: "length",
    symbol: "zeroBytes",
  }),
  method(
    module,
    "bool",
    "Converts the value to a bool. Returns a default, if given, if the value cannot be converted.",
    {
      args: [optional("default", "bool")],
      returns: "bool",
      result: asBool,
      fails: unlessBoolOrDefault,
      converts: ["bool", "number", "string", "bytes"],
      rescues: true,
    },
  ),
  method(module, "array", "Wraps any value except an array in an array. Returns an array unchanged.", {
    returns: "array",
    result: asArray,
    canFail: false,
  }),
  method(module, "type", "The name of the value's type.", {
    returns: "string",
    result: nameOfType,
    canFail: false,
    symbol: "typeOf",
  }),
  method(module, "not_null", "The value. Fails if it is null.", {
    result: notNull,
    fails: onNull,
  }),
  method(module, "not_empty", "The value. Fails if it is an empty string, array or object.", {
    targets: ["string", "array", "object"],
    result: notEmpty,
  }),
  method(module, "length", "The number of bytes, elements or keys.", {
    targets: ["string", "bytes", "array", "object"],
    returns: "integer",
    canFail: false,
  }),
  method(module, "contains", "Whether a string, array or object contains a value.", {
    targets: ["string", "bytes", "array", "object"],
    args: [parameter("value", "any")],
    returns: "bool",
    canFail: false,
  }),
  fn(here, "now", "The current time in the RFC 3339 format.", { ...machine, returns: "string" }),
  fn(here, "timestamp_unix", "The Unix time in seconds.", { ...machine, returns: "integer" }),
  fn(here, "timestamp_unix_milli", "The Unix time in milliseconds.", { ...machine, returns: "integer" }),
  fn(here, "timestamp_unix_micro", "The Unix time in microseconds.", { ...machine, returns: "integer" }),
  fn(here, "timestamp_unix_nano", "The Unix time in nanoseconds.", { ...machine, returns: "integer" }),
  fn(here, "uuid_v4", "A random UUID (version 4).", { ...machine, returns: "string" }),
  fn(here, "hostname", "The host name of this machine.", {
    ...machine,
    returns: "string",
    capability: "environment",
  }),
  fn(here, "env", "The value of an environment variable, or null if it is not set.", {
    ...machine,
    args: [parameter("name", "string"), parameter("no_cache", "bool", false)],
    result: always(textOrNull),
    staticFolding: true,
    capability: "environment",
  }),
  fn(here, "count", "A counter that increases by one with each call with the same name.", {
    ...machine,
    args: [parameter("name", "string")],
    returns: "integer",
    deprecated: true,
  }),
];
