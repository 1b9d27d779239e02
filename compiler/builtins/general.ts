// Functions and methods for values of every type; the code is in runtime/mapping/general.ts and
// environment.ts. Those without code belong to the language itself.

import { type Builtin, fn, method, optional, parameter, query } from "./builtin.ts";

const module = "general.ts";
const here = "environment.ts";

export const general: readonly Builtin[] = [
  fn(module, "deleted", "Deletes what it is assigned to.", { inline: true }),
  fn(module, "nothing", "Leaves alone what it is assigned to.", { inline: true }),
  fn(module, "var", "A variable by its name.", { inline: true, args: [parameter("name", "string")] }),
  fn(module, "throw", "Fails with a text.", { args: [parameter("why", "string")], symbol: "throwError" }),
  method(module, "or", "A fallback where the target fails or is null.", {
    inline: true,
    args: [query("fallback", "same")],
  }),
  method(module, "catch", "A fallback where the target fails.", {
    inline: true,
    args: [query("fallback", "error")],
  }),
  method(module, "map", "A query with the target as `this`.", {
    inline: true,
    args: [query("query", "element")],
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
  }),
  method("operators.ts", "not", "The opposite of a bool.", { targets: ["bool"], returns: "bool" }),
  method(module, "string", "The text form of any value.", { returns: "string" }),
  method(module, "bytes", "The bytes of any value's text form.", { returns: "bytes" }),
  fn(module, "bytes", "As many zero bytes as asked for.", {
    args: [parameter("length", "integer")],
    returns: "bytes",
    rule: "length",
    symbol: "zeroBytes",
  }),
  method(module, "bool", "The bool a value stands for; a default where it stands for none.", {
    args: [optional("default", "bool")],
    returns: "bool",
  }),
  method(module, "array", "An array as it is, any other value as the one element of an array.", {
    returns: "array",
  }),
  method(module, "type", "The name of the value's type.", { returns: "string", symbol: "typeOf" }),
  method(module, "not_null", "The value; fails where it is null."),
  method(module, "not_empty", "The value; fails where it is an empty text, array or object.", {
    targets: ["string", "bytes", "array", "object"],
  }),
  method(module, "length", "How many bytes, elements or keys it has.", {
    targets: ["string", "bytes", "array", "object"],
    returns: "number",
  }),
  method(module, "contains", "Whether a text, array or object holds a value.", {
    targets: ["string", "bytes", "array", "object"],
    args: [parameter("value", "any")],
    returns: "bool",
  }),
  fn(here, "now", "The current time in RFC 3339.", { returns: "string", pure: false }),
  fn(here, "timestamp_unix", "Seconds since 1970.", { returns: "number", pure: false }),
  fn(here, "timestamp_unix_milli", "Milliseconds since 1970.", { returns: "number", pure: false }),
  fn(here, "timestamp_unix_micro", "Microseconds since 1970.", { returns: "number", pure: false }),
  fn(here, "timestamp_unix_nano", "Nanoseconds since 1970.", { returns: "number", pure: false }),
  fn(here, "uuid_v4", "A random identifier.", { returns: "string", pure: false }),
  fn(here, "hostname", "The name of this machine.", {
    returns: "string",
    pure: false,
    plugin: true,
    capability: "environment",
  }),
  fn(here, "env", "An environment variable, null where it is not set.", {
    args: [parameter("name", "string"), parameter("no_cache", "bool", false)],
    pure: false,
    plugin: true,
    staticFolding: true,
    capability: "environment",
  }),
  fn(here, "count", "A number that grows by one with each call of this name.", {
    args: [parameter("name", "string")],
    returns: "number",
    pure: false,
    deprecated: true,
  }),
];
