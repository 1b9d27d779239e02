// Every method and function of the mapping language as work, with targets and arguments from outside.

import type { Builtin } from "../../../compiler/builtins/builtin.ts";
import { coreBuiltins } from "../../../compiler/builtins/catalogue.ts";
import { CompileError } from "../../../compiler/embed/errors.ts";
import { compileMapping, type RunMapping } from "../../../compiler/embed/mapping.ts";
import { MappingError } from "../../../runtime/errors.ts";
import { MappingRun } from "../../../runtime/mapping/run.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { nameOf } from "../../builtins/calls.ts";
import { argumentLists, ownTargets } from "../../builtins/samples.ts";
import type { Input } from "./inputs.ts";
import type { Work } from "./measure.ts";

/** A call of a builtin. `this.target` and `this.argument` are from outside. */
export interface Call {
  readonly builtin: Builtin;
  readonly source: string;
  /** Compiled at the first use; `undefined` if the compiler refuses the arguments, which happens for some samples. */
  readonly compiled: () => RunMapping | undefined;
  /** The place of the input; the other place has a short, suitable value. */
  readonly role: Role;
}

/** `part`: the argument is almost a part of the target, which is the slow case of searches. */
type Role = "target" | "argument" | "both" | "part";

/** Builtins that are not called, with reasons. */
export const notCalled: Readonly<Record<string, string>> = {
  "var()": "gives what the mapping assigned",
  "throw()": "fails with its text",
  apply: "runs a map of the mapping",
  from: "gives its target of another message",
  from_all: "gives its target of all messages",
  "cache_add()": "acts on a cache of the stream, whose time is the cache's",
  "cache_delete()": "acts on a cache of the stream, whose time is the cache's",
  "cache_get()": "acts on a cache of the stream, whose time is the cache's",
  "cache_set()": "acts on a cache of the stream, whose time is the cache's",
  "file()": "reads a file of the host",
  "file_rel()": "reads a file of the host",
  "file_rel_json()": "reads a file of the host",
};

/** Roles in which target and argument are large. */
const ofTwo: readonly Role[] = ["both", "part"];

/** Calls whose purpose requires more than linear work, on all inputs or those with matching names, with reasons. */
const moreThanLinear: readonly Excuse[] = [
  { call: /\.re_\w+\(/, roles: ofTwo, reason: "RE2 takes the length of the text times that of the pattern" },
  { call: /\.(re_)?replace/, roles: ofTwo, reason: "the result holds the argument at each match" },
  { call: /\.collapse\(/, input: /in each other/, reason: "each key of the result is a whole path" },
  { call: /\.explode\(/, reason: "each element of the result has a copy of all the rest" },
  {
    call: /\.format_/,
    input: /in each other/,
    reason: "lines of the result begin with blanks for their depth",
  },
  {
    call: /\.bloblang\(/,
    roles: ["argument", ...ofTwo],
    reason: "compiles its argument, which is tried as a mapping",
  },
];

interface Excuse {
  readonly call: RegExp;
  readonly roles?: readonly Role[];
  readonly input?: RegExp;
  readonly reason: string;
}

/** Whether the time of the call may grow faster than the input. */
export function mayGrow({ source, role }: Call, { name }: Input<Value>): boolean {
  return moreThanLinear.some(
    (row) =>
      row.call.test(source) &&
      (row.roles === undefined || row.roles.includes(role)) &&
      (row.input === undefined || row.input.test(name)),
  );
}

/** Additional arguments that make a builtin process its target if those of the samples do not. */
const furtherArguments: Readonly<Record<string, readonly (readonly string[])[]>> = {
  split: [['","', "true"], ['"a"']],
  encode: ["base64url", "base64rawurl", "ascii85"].map((name) => [`"${name}"`]),
  decode: ["base64url", "base64rawurl", "ascii85", "z85"].map((name) => [`"${name}"`]),
  hash: ["md5", "sha1", "sha512", "fnv32"].map((name) => [`"${name}"`]),
  compress: ["zlib", "flate", "snappy", "pgzip"].map((name) => [`"${name}"`]),
  decompress: ["zlib", "bzip2", "snappy", "lz4", "pgzip"].map((name) => [`"${name}"`]),
  re_match: [['"^(a+)+$"'], ['"(a|a)*b"'], ['"\\\\s+$"']],
  re_find_all: [['"\\\\s+$"'], ['""']],
  re_replace_all: [['"(\\\\s+)$"', '"<$1>"']],
  json_path: [['"$..*"'], ['"$..[?@.a]"'], ['"$[*][*]"'], ['"$[::2]"']],
  sort: [["left < right"]],
  unique: [["this.string()"]],
};

/** The calls of every builtin. */
export function allCalls(): readonly Call[] {
  return coreBuiltins.builtins.filter((builtin) => notCalled[nameOf(builtin)] === undefined).flatMap(callsOf);
}

function callsOf(builtin: Builtin): readonly Call[] {
  const { name, kind } = builtin;
  const lists = argumentLists[nameOf(builtin)] ?? [[]];
  const literal = [...lists, ...(furtherArguments[name] ?? [])];
  const computed = computedLists(builtin, lists.find((list) => list.length > 0) ?? []);
  const written = (list: readonly string[]) =>
    `${kind === "method" ? "this.target." : ""}${name}(${list.join(", ")})`;
  const callsWith = (list: readonly string[], roles: readonly Role[]) => {
    const source = written(list);
    let known: { readonly run: RunMapping | undefined } | undefined;
    const compiled = () => {
      known ??= { run: compileIfPossible(source) };
      return known.run;
    };
    return roles.map((role) => ({ builtin, source, compiled, role }));
  };
  return [
    ...(kind === "method" ? literal.flatMap((list) => callsWith(list, ["target"])) : []),
    ...computed.flatMap((list) =>
      callsWith(list, kind === "method" ? ["argument", "both", "part"] : ["argument"]),
    ),
  ];
}

/** Returns a copy of the list for each argument that can be computed, with that argument from outside. */
function computedLists(
  { parameters, variadic }: Builtin,
  list: readonly string[],
): readonly (readonly string[])[] {
  const given = variadic ? [list] : [];
  const each = parameters
    .map(({ query, literal }, index) => ({ isComputed: query === undefined && literal !== true, index }))
    .filter(({ isComputed, index }) => isComputed && index <= list.length)
    .map(({ index }) => [...list.slice(0, index), "this.argument", ...list.slice(index + 1)]);
  return [...given.map((all) => [...all.slice(0, -1), "this.argument"]), ...each];
}

function compileIfPossible(source: string): RunMapping | undefined {
  try {
    return compileMapping(`root = ${source}`);
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}

/** Returns half of a text, with another character in its middle; other values unchanged. */
function nearPartOf(input: Value): Value {
  if (typeof input !== "string") return input;
  const quarter = input.slice(0, input.length / 4);
  return `${quarter}\u0001${quarter}`;
}

/** Returns the call as work on an input in its place. */
export function workOf({ builtin, source, compiled, role }: Call, { name, make }: Input<Value>): Work {
  const run = compiled();
  return {
    name: `${source}, ${role === "target" ? "" : `${role} `}${name}`,
    prepare(size) {
      const input = make(size);
      const value = {
        target: role === "argument" ? (ownTargets[builtin.name]?.[0] ?? "abc") : input,
        argument: role === "target" ? "abc" : role === "part" ? nearPartOf(input) : input,
      };
      const message = Message.fromText("{}");
      return () => {
        try {
          run?.(new MappingRun([message], 0, message, { value }));
        } catch (error) {
          // Invalid texts are refused, which has to be just as fast.
          if (!(error instanceof MappingError)) throw error;
        }
      };
    },
  };
}
