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
  fn(module, "deleted", "Deletes what it is assigned to.", {
    inline: true,
    result: deletion,
    canFail: false,
  }),
  fn(module, "nothing", "Leaves alone what it is assigned to.", {
    inline: true,
    result: always(nothingType),
    canFail: false,
  }),
  fn(module, "var", "A variable by its name.", { inline: true, args: [parameter("name", "string")] }),
  fn(module, "throw", "Fails with a text.", {
    args: [parameter("why", "string")],
    returns: "never",
    symbol: "throwError",
  }),
  method(module, "or", "A fallback where the target fails or is null.", {
    inline: true,
    args: [query("fallback", "same")],
    result: orFallback,
    canFail: false,
  }),
  method(module, "catch", "A fallback where the target fails.", {
    inline: true,
    args: [query("fallback", "error")],
    result: catchFallback,
    canFail: false,
  }),
  method(module, "map", "A query with the target as `this`.", {
    inline: true,
    args: [query("query", "element")],
    result: queryOfTarget,
    canFail: false,
  }),
  method(module, "apply", "The result of a named map.", {
    inline: true,
    args: [parameter("mapping", "string")],
  }),
  method(module, "from", "The target as another message of the batch gives it.", {
    inline: true,
    args: [parameter("index", "integer")],
  }),
  method(module, "from_all", "The target as each message of the batch gives it.", {
    inline: true,
    returns: "array",
    result: always(arrayOf(unknown)),
  }),
  method("operators.ts", "not", "The opposite of a bool.", {
    targets: ["bool"],
    returns: "bool",
    result: opposite,
    canFail: false,
  }),
  method(module, "string", "The text form of any value.", {
    returns: "string",
    result: asText,
    canFail: false,
  }),
  method(module, "bytes", "The bytes of any value's text form.", { returns: "bytes", canFail: false }),
  fn(module, "bytes", "As many zero bytes as asked for.", {
    args: [parameter("length", "integer")],
    returns: "bytes",
    fails: unlessSmallLength,
    rule: "length",
    symbol: "zeroBytes",
  }),
  method(module, "bool", "The bool a value stands for; a default where it stands for none.", {
    args: [optional("default", "bool")],
    returns: "bool",
    result: asBool,
    fails: unlessBoolOrDefault,
    rescues: true,
  }),
  method(module, "array", "An array as it is, any other value as the one element of an array.", {
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
  method(module, "not_null", "The value; fails where it is null.", {
    result: notNull,
    fails: onNull,
  }),
  method(module, "not_empty", "The value; fails where it is an empty text, array or object.", {
    targets: ["string", "array", "object"],
    result: notEmpty,
  }),
  method(module, "length", "How many bytes, elements or keys it has.", {
    targets: ["string", "bytes", "array", "object"],
    returns: "integer",
    canFail: false,
  }),
  method(module, "contains", "Whether a text, array or object holds a value.", {
    targets: ["string", "bytes", "array", "object"],
    args: [parameter("value", "any")],
    returns: "bool",
    canFail: false,
  }),
  fn(here, "now", "The current time in RFC 3339.", { ...machine, returns: "string" }),
  fn(here, "timestamp_unix", "Seconds since 1970.", { ...machine, returns: "integer" }),
  fn(here, "timestamp_unix_milli", "Milliseconds since 1970.", { ...machine, returns: "integer" }),
  fn(here, "timestamp_unix_micro", "Microseconds since 1970.", { ...machine, returns: "integer" }),
  fn(here, "timestamp_unix_nano", "Nanoseconds since 1970.", { ...machine, returns: "integer" }),
  fn(here, "uuid_v4", "A random identifier.", { ...machine, returns: "string" }),
  fn(here, "hostname", "The name of this machine.", {
    ...machine,
    returns: "string",
    plugin: true,
    capability: "environment",
  }),
  fn(here, "env", "An environment variable, null where it is not set.", {
    ...machine,
    args: [parameter("name", "string"), parameter("no_cache", "bool", false)],
    result: always(textOrNull),
    plugin: true,
    staticFolding: true,
    capability: "environment",
  }),
  fn(here, "count", "A number that grows by one with each call of this name.", {
    ...machine,
    args: [parameter("name", "string")],
    returns: "integer",
    deprecated: true,
  }),
];
