// The calls of the soundness test: each builtin with each of its argument lists, once as literals and once as
// variables whose values are only known at run time.

import type { Builtin } from "../../compiler/builtins/builtin.ts";
import { CompileError } from "../../compiler/embed/errors.ts";
import { compileQuery, type RunQuery } from "../../compiler/embed/mapping.ts";
import type { Type } from "../../compiler/value-types/type.ts";
import { MappingError } from "../../runtime/errors.ts";
import { MappingRun } from "../../runtime/mapping/run.ts";
import { Message } from "../../runtime/message/message.ts";
import type { Value } from "../../runtime/message/value.ts";
import { algorithms, argumentLists, commonTargets, keysFor, ownTargets } from "./samples.ts";
import { exactType, looseType } from "./values.ts";

/** One call to run. */
export interface SampleCall {
  readonly builtin: Builtin;
  /** The text of the call, as failures show it. */
  readonly text: string;
  readonly target: Value;
  readonly args: readonly string[];
  readonly argTypes: readonly (Type | undefined)[];
  readonly query: RunQuery | CompileError;
  readonly variables: Readonly<Record<string, Value>>;
}

/** The result of a call. */
export type Outcome =
  | { readonly kind: "value"; readonly value: Value }
  /** The compiler rejects the call. */
  | { readonly kind: "refused" }
  | { readonly kind: "failure"; readonly text: string };

const message = Message.fromText('{"a":1}', new Map<string, Value>([["a", "text"]]));
const fileSystem = { readFile: readSample };

function readSample(path: string): string {
  if (path !== "data.json") throw new Error("no such file");
  return '{"a":1}';
}

/** Returns the name of a builtin as the samples write it: `name()` for functions. */
export function nameOf({ kind, name }: Builtin): string {
  return kind === "function" ? `${name}()` : name;
}

/** Returns all calls of a builtin. */
export function callsOf(builtin: Builtin): readonly SampleCall[] {
  const lists = argumentLists[nameOf(builtin)] ?? [[]];
  const targets =
    builtin.kind === "function" ? [null] : [...commonTargets, ...asTextAndBytes(targetsOf(builtin))];
  return lists
    .flatMap((args) => [literalCall(builtin, args), computedCall(builtin, args)])
    .flatMap((call) => targets.map((target) => ({ ...call, target })));
}

function targetsOf({ name }: Builtin): readonly Value[] {
  const algorithm = algorithms.find((each) => name === `parse_jwt_${each}`);
  if (algorithm === undefined) return ownTargets[name] ?? [];
  const key = JSON.stringify(keysFor(algorithm).privateKey);
  const token = compileQuery(`{"a":1}.sign_jwt_${algorithm}(${key})`);
  return [token(new MappingRun([message], 0))];
}

/** Adds the text targets as bytes: a method that accepts text accepts bytes, too. */
function asTextAndBytes(targets: readonly Value[]): readonly Value[] {
  const texts = targets.filter((target) => typeof target === "string");
  return [...targets, ...texts.map((text) => new Uint8Array(Buffer.from(text)))];
}

/** Runs a call. */
export function run({ query, target, variables }: SampleCall): Outcome {
  if (query instanceof CompileError) return { kind: "refused" };
  try {
    return {
      kind: "value",
      value: query(new MappingRun([message], 0, message, { value: target }), variables),
    };
  } catch (error) {
    if (error instanceof MappingError) return { kind: "failure", text: error.message };
    throw error;
  }
}

type Prepared = Omit<SampleCall, "target">;

function literalCall(builtin: Builtin, args: readonly string[]): Prepared {
  const types = args.map((arg, index) =>
    isQuery(builtin, index) ? exactType(null) : exactType(valueOfSource(arg)),
  );
  return prepare(builtin, args, { written: args, types, variables: {} });
}

function computedCall(builtin: Builtin, args: readonly string[]): Prepared {
  const isFixed = (index: number) => isQuery(builtin, index) || builtin.parameters[index]?.literal === true;
  const written = args.map((arg, index) => (isFixed(index) ? arg : `$arg${index}`));
  const values = args.map((arg, index) => (isQuery(builtin, index) ? null : valueOfSource(arg)));
  const types = values.map((value, index) => (isFixed(index) ? exactType(value) : looseType(value)));
  const variables = Object.fromEntries(values.map((value, index) => [`arg${index}`, value]));
  return prepare(builtin, args, { written, types, variables });
}

function prepare(
  builtin: Builtin,
  args: readonly string[],
  call: {
    readonly written: readonly string[];
    readonly types: readonly Type[];
    readonly variables: Readonly<Record<string, Value>>;
  },
): Prepared {
  const subject = builtin.kind === "function" ? "" : "this.";
  const text = `${subject}${builtin.name}(${call.written.join(", ")})`;
  const argTypes = builtin.variadic ? call.types : builtin.parameters.map((_, index) => call.types[index]);
  return { builtin, text, args, argTypes, query: compile(text, call.variables), variables: call.variables };
}

function compile(text: string, variables: Readonly<Record<string, Value>>): RunQuery | CompileError {
  try {
    return compileQuery(text, { variables: new Set(Object.keys(variables)), fileSystem });
  } catch (error) {
    if (error instanceof CompileError) return error;
    throw error;
  }
}

function isQuery({ parameters }: Builtin, index: number): boolean {
  return parameters[index]?.query !== undefined;
}

function valueOfSource(source: string): Value {
  return compileQuery(source)(new MappingRun([], 0));
}
