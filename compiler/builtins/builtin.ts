// What the compiler knows of one function or method of the mapping language. The code is in
// runtime/mapping, under the same file name; nothing here runs it.

import type { RuntimeLink } from "../../schemas/component.ts";
import type { Type } from "../value-types/type.ts";

/** The type of a value, as far as it is known before it exists; `never` for what gives none. */
export type ValueTypeName =
  | "any"
  | "never"
  | "string"
  | "bytes"
  | "number"
  | "integer"
  | "bool"
  | "timestamp"
  | "array"
  | "object"
  | "null";

/** A value a parameter has when the call leaves it out; integers are `bigint`. */
export type DefaultValue =
  | null
  | boolean
  | bigint
  | string
  | { readonly kind: "float"; readonly value: number };

/** What a parameter takes; compiler/builtins/accepted.ts says which values count as one of each. */
export type ParameterTypeName =
  | "string"
  | "integer"
  | "float"
  | "bool"
  | "timestamp"
  | "array"
  | "object"
  | "query"
  | "any";

export interface Parameter {
  readonly name: string;
  readonly type: ParameterTypeName;
  /** Of the elements of an `array`, where they have to be of one type. */
  readonly items?: "string" | "float";
  /** May be left out without a default; the runtime function is then given `undefined`. */
  readonly optional?: boolean;
  readonly default?: DefaultValue;
  /**
   * The argument is handed over unevaluated. `element`: a function of the value that is `this` in it;
   * `error`: of the error text; `same`: a function without parameters, `this` unchanged.
   */
  readonly query?: "element" | "same" | "error";
  /** How failures call the query is handed over behind it: always, or where the query can fail. */
  readonly named?: "always" | "failing";
  /** Only what is known before any message will do. */
  readonly literal?: boolean;
  /** The reference takes any literal here, and looks at its type when the call runs. */
  readonly late?: boolean;
  /** Has to be text where the target is text: `split` takes any value only to part arrays. */
  readonly textForText?: boolean;
}

/** A rule of compiler/check/mapping/arguments that checks literal arguments. */
export type ArgumentRule =
  | "compression"
  | "decimalScale"
  | "decoding"
  | "decompression"
  | "decryption"
  | "encoding"
  | "encryption"
  | "hash"
  | "jsonPath"
  | "jsonSchema"
  | "length"
  | "nanoid"
  | "pairs"
  | "preserved"
  | "privateKey"
  | "pattern"
  | "publicKey"
  | "randomRange"
  | "range"
  | "slice"
  | "snowflake"
  | "ulid";

/**
 * What a builtin reaches outside of messages. Documents that are not trusted may not use `files`, and none
 * may use `compiler`, which only hosts that compile have.
 */
export type Capability = "compiler" | "environment" | "files";

/**
 * What to use in place of a deprecated builtin. `same`: `always`, where only the name changed; `text`, where the
 * result is only the same when it is text or null; `never`, where it is another.
 */
export interface Successor {
  readonly name: string;
  readonly same: "always" | "text" | "never";
}

export interface Builtin {
  /** As mappings spell it: `map_each`. */
  readonly name: string;
  readonly kind: "function" | "method";
  readonly parameters: readonly Parameter[];
  readonly returns: ValueTypeName;
  /** The result's type where it follows from the call; `returns` is then its widest. */
  readonly result?: ResultRule;
  /**
   * It can fail on a target and arguments of the right types: `parse_json` does, `uppercase` does not. What a
   * query does is the query's own affair.
   */
  readonly canFail: boolean;
  /** Whether one call can fail, where that follows from the call; `canFail` is then true. */
  readonly fails?: FailureRule;
  /** Types of the target a method works on; empty for any. */
  readonly targets: readonly ValueTypeName[];
  /** What each element of a target that is an array has to be. */
  readonly elements?: NonNullable<Parameter["items"]>;
  /** Same arguments, same result, no effect. */
  readonly pure: boolean;
  readonly deprecated: boolean;
  readonly successor?: Successor;
  readonly doc: string;
  /** The function, where another package brings it; `symbol` is then what emitted code calls it. */
  readonly link?: RuntimeLink;
  /** File below runtime/mapping: `strings.ts`; empty for what belongs to the language itself and has no function. */
  readonly module: string;
  /** Exported name in that file: `mapEach`; empty as `module`. */
  readonly symbol: string;
  /** `core` methods lead their errors by the target's annotation; `plugin` ones do not. */
  readonly registeredAs: "core" | "plugin";
  /** A target that fails counts as null where the first argument, a default, is given. */
  readonly rescues: boolean;
  /** Evaluated while compiling when target and arguments are literals. */
  readonly staticFolding: boolean;
  readonly variadic: boolean;
  /** What each argument of a variadic builtin has to be. */
  readonly variadicType: ParameterTypeName;
  /**
   * The runtime function takes first the `MappingRun`, the folder of the mapping's own file, or a cache of the
   * stream, in place of the first argument, which names it.
   */
  readonly needs?: "run" | "folder" | "cache";
  readonly capability?: Capability;
  /** When all arguments are known, this checks them before anything runs. */
  readonly rule?: ArgumentRule;
  readonly state?: CallState;
}

/**
 * What a call keeps from run to run, handed to the runtime function before anything else. `symbol` is
 * exported by the same module and makes a fresh one. `when` tells whether each call has one, or only calls
 * whose arguments are all literals; the others are given `undefined`.
 */
export interface CallState {
  readonly symbol: string;
  readonly when: "always" | "literal";
}

/** What differs from the usual: a pure method of the core, of any target, giving anything. */
export interface Details {
  readonly args?: readonly Parameter[];
  readonly returns?: ValueTypeName;
  readonly result?: ResultRule;
  readonly canFail?: boolean;
  readonly fails?: FailureRule;
  readonly targets?: readonly ValueTypeName[];
  readonly elements?: NonNullable<Parameter["items"]>;
  readonly pure?: boolean;
  readonly deprecated?: boolean;
  readonly rescues?: boolean;
  /** What took its place, which makes it deprecated. */
  readonly successor?: Successor;
  readonly symbol?: string;
  readonly plugin?: boolean;
  readonly staticFolding?: boolean;
  readonly variadic?: boolean;
  readonly variadicType?: ParameterTypeName;
  readonly needs?: "run" | "folder" | "cache";
  /** It has no runtime function; the compiler knows it by name. */
  readonly inline?: boolean;
  readonly capability?: Capability;
  readonly rule?: ArgumentRule;
  readonly state?: CallState;
}

/** Describes a method: `method("strings.ts", "trim", "Cuts …", {…})`. */
export function method(module: string, name: string, doc: string, details: Details = {}): Builtin {
  return describe("method", module, name, doc, details);
}

/** Describes a function. */
export function fn(module: string, name: string, doc: string, details: Details = {}): Builtin {
  return describe("function", module, name, doc, details);
}

/** A required parameter, or one with a default. */
export function parameter(name: string, type: Parameter["type"], value?: DefaultValue): Parameter {
  return value === undefined ? { name, type } : { name, type, default: value };
}

/** A parameter that may be left out. */
export function optional(name: string, type: Parameter["type"]): Parameter {
  return { name, type, optional: true };
}

/** A parameter that takes an array whose elements are all of one type. */
export function listOf(items: NonNullable<Parameter["items"]>, name: string): Parameter {
  return { name, type: "array", items };
}

/** A parameter that takes a query. */
export function query(name: string, context: "element" | "same" | "error"): Parameter {
  return { name, type: "query", query: context };
}

/** As `query`, of a parameter that may be left out. */
export function optionalQuery(name: string, context: "element" | "same" | "error"): Parameter {
  return { ...query(name, context), optional: true };
}

/** A function or method of another package. */
export interface WrittenBuiltin extends Omit<Details, "symbol" | "inline" | "plugin"> {
  readonly name: string;
  /** What it does, in a sentence for the reference and for editors. */
  readonly doc: string;
  /** The function that runs it: of the target and what mappings call it, then of the arguments. */
  readonly runtime: RuntimeLink;
}

/** A method of another package. */
export function defineMethod(method: WrittenBuiltin): Builtin {
  return defineBuiltin("method", method);
}

/** A function of another package; what runs it gets the arguments alone. */
export function defineFunction(written: WrittenBuiltin): Builtin {
  return defineBuiltin("function", written);
}

function defineBuiltin(
  kind: Builtin["kind"],
  { name, doc, runtime: link, ...details }: WrittenBuiltin,
): Builtin {
  const { module, symbol } = link;
  return { ...describe(kind, module, name, doc, { ...details, symbol }), link };
}

function describe(
  kind: Builtin["kind"],
  module: string,
  name: string,
  doc: string,
  details: Details,
): Builtin {
  return {
    name,
    kind,
    parameters: details.args ?? [],
    returns: details.returns ?? "any",
    ...(details.result === undefined ? {} : { result: details.result }),
    canFail: details.canFail ?? true,
    ...(details.fails === undefined ? {} : { fails: details.fails }),
    targets: details.targets ?? [],
    ...(details.elements === undefined ? {} : { elements: details.elements }),
    pure: details.pure ?? true,
    rescues: details.rescues ?? false,
    deprecated: details.deprecated ?? details.successor !== undefined,
    ...(details.successor === undefined ? {} : { successor: details.successor }),
    doc,
    module: details.inline === true ? "" : module,
    symbol: details.inline === true ? "" : (details.symbol ?? camelCase(name)),
    registeredAs: details.plugin === true ? "plugin" : "core",
    staticFolding: details.staticFolding ?? false,
    variadic: details.variadic ?? false,
    variadicType: details.variadicType ?? "any",
    ...(details.needs === undefined ? {} : { needs: details.needs }),
    ...(details.capability === undefined ? {} : { capability: details.capability }),
    ...(details.rule === undefined ? {} : { rule: details.rule }),
    ...(details.state === undefined ? {} : { state: details.state }),
  };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A call as inference sees it. Targets and arguments are already narrowed to what the builtin accepts. */
export interface CallTypes {
  /** `Unknown` for functions. */
  readonly target: Type;
  /**
   * One for each parameter, for a variadic builtin one for each argument; `undefined` where left out. For a
   * query that is given it is any type: ask `queryResult`.
   */
  readonly args: readonly (Type | undefined)[];
  /**
   * The type of the query at `index` with `element` as its `this` (for `query: "error"` and `"same"` it is the
   * text of the error, or the target's own `this`, and `element` is not looked at).
   */
  readonly queryResult: (index: number, element: Type) => Type;
}

/**
 * The type of a call's result; never looks at anything but what it is given. `Never` for a call that always
 * fails. A rule of a builtin with queries asks for the result of each one that is given, with all that can be
 * its `this`, so that the rule sees every query.
 */
export type ResultRule = (call: CallTypes) => Type;

/** Whether a call can fail, its queries apart; when in doubt it can. */
type FailureRule = (call: CallTypes) => boolean;
