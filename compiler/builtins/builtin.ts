// The compiler's description of a function or method of the mapping language. The implementation is in
// runtime/mapping, under the same file name; nothing here runs it.

import type { RuntimeLink } from "../../schemas/component.ts";
import type { Type } from "../value-types/type.ts";

/** The type of a value as far as it is known at compile time; `never` if there is no value. */
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

/** The value of a parameter that the call omits. Integers are `bigint`. */
export type DefaultValue =
  | null
  | boolean
  | bigint
  | string
  | { readonly kind: "float"; readonly value: number };

/** The type of a parameter; compiler/builtins/accepted.ts defines the values that each accepts. */
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
  /** The type of the elements of an `array`, if they must have the same type. */
  readonly items?: "string" | "float";
  /** Whether it may be omitted although it has no default; the runtime function then gets `undefined`. */
  readonly optional?: boolean;
  readonly default?: DefaultValue;
  /**
   * Set if the argument is passed unevaluated. `element`: as a function of the value that is `this` in it;
   * `error`: as a function of the error text; `same`: as a function without parameters, with `this` unchanged.
   */
  readonly query?: "element" | "same" | "error";
  /**
   * When the query's name in error texts is passed as an additional argument: always, or only if the query can fail.
   */
  readonly named?: "always" | "failing";
  /** Whether the argument must be known at compile time. */
  readonly literal?: boolean;
  /** Whether the reference engine accepts any literal here and checks its type only when the call runs. */
  readonly late?: boolean;
  /** Whether it is a password or key, which documents do not contain. Not for public keys and hashes. */
  readonly secret?: boolean;
  /** Whether it must be text if the target is text: `split` accepts other values only for arrays. */
  readonly textForText?: boolean;
}

/**
 * A rule of compiler/check/mapping/arguments that checks literal arguments. `evaluated`: the call must work with null as
 * its target. `mapping`: the first argument must compile.
 */
export type ArgumentRule =
  | "compression"
  | "decimalScale"
  | "decoding"
  | "decompression"
  | "decryption"
  | "encoding"
  | "encryption"
  | "evaluated"
  | "hash"
  | "jsonPath"
  | "jsonSchema"
  | "length"
  | "mapping"
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
 * The outside resource that a builtin uses. Documents that are not trusted may not use `files`, and no document
 * may use `compiler`, which only hosts with a compiler have.
 */
export type Capability = "compiler" | "environment" | "files";

/**
 * The replacement of a deprecated builtin. `same`: `always` if only the name changed; `text` if the
 * result is the same only if it is text or null; `never` if the result differs.
 */
export interface Successor {
  readonly name: string;
  readonly same: "always" | "text" | "never";
}

export interface Builtin {
  /** The name in mappings: `map_each`. */
  readonly name: string;
  readonly kind: "function" | "method";
  readonly parameters: readonly Parameter[];
  readonly returns: ValueTypeName;
  /** Computes the result's type from the call, if possible; `returns` is then the widest type. */
  readonly result?: ResultRule;
  /**
   * Whether it can fail on a target and arguments of the right types: `parse_json` can, `uppercase` cannot. Failures
   * of queries do not count.
   */
  readonly canFail: boolean;
  /** Determines whether a specific call can fail, if that depends on the call; `canFail` is then true. */
  readonly fails?: FailureRule;
  /** Types of targets that a method accepts; empty if it accepts any. */
  readonly targets: readonly ValueTypeName[];
  /**
   * Types of targets that a conversion can convert, if it accepts any target because a default may be given. Without
   * a default it always fails on the others.
   */
  readonly converts?: readonly ValueTypeName[];
  /** The type of the elements if the target is an array. */
  readonly elements?: NonNullable<Parameter["items"]>;
  /** Whether it has no side effects and the same arguments always produce the same result. */
  readonly pure: boolean;
  readonly deprecated: boolean;
  readonly successor?: Successor;
  readonly doc: string;
  /** The function, if another package provides it; `symbol` is then its name in emitted code. */
  readonly link?: RuntimeLink;
  /**
   * File below runtime/mapping, such as `strings.ts`; empty for builtins of the language itself, which have no
   * function.
   */
  readonly module: string;
  /** Exported name in that file, such as `mapEach`; empty if `module` is. */
  readonly symbol: string;
  /** Whether a target that fails counts as null if the first argument, a default, is given. */
  readonly rescues: boolean;
  /** Whether it is evaluated at compile time if target and arguments are literals. */
  readonly staticFolding: boolean;
  readonly variadic: boolean;
  /** The type of each argument of a variadic builtin. */
  readonly variadicType: ParameterTypeName;
  /**
   * The first argument of the runtime function: the `MappingRun`, the folder of the mapping's file, or a cache of the
   * stream, which replaces the argument that names it.
   */
  readonly needs?: "run" | "folder" | "cache";
  readonly capability?: Capability;
  /** Checks the arguments at compile time if all are known. */
  readonly rule?: ArgumentRule;
  readonly state?: CallState;
}

/**
 * The state that a call keeps between runs. It is passed to the runtime function before all other arguments. `symbol`
 * is exported by the same module and creates a new state. `when`: whether every call has a state, or only calls with
 * literal arguments; other calls get `undefined`.
 */
export interface CallState {
  readonly symbol: string;
  readonly when: "always" | "literal";
}

/**
 * The differences from the defaults, which describe a pure `core` method that accepts any target and returns any
 * value.
 */
export interface Details {
  readonly args?: readonly Parameter[];
  readonly returns?: ValueTypeName;
  readonly result?: ResultRule;
  readonly canFail?: boolean;
  readonly fails?: FailureRule;
  readonly targets?: readonly ValueTypeName[];
  readonly converts?: readonly ValueTypeName[];
  readonly elements?: NonNullable<Parameter["items"]>;
  readonly pure?: boolean;
  readonly deprecated?: boolean;
  readonly rescues?: boolean;
  /** The replacement; if set, the builtin is deprecated. */
  readonly successor?: Successor;
  readonly symbol?: string;
  readonly staticFolding?: boolean;
  readonly variadic?: boolean;
  readonly variadicType?: ParameterTypeName;
  readonly needs?: "run" | "folder" | "cache";
  /** Whether it has no runtime function because the compiler handles it by name. */
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

/** Describes a required parameter, or one with a default if `value` is given. */
export function parameter(name: string, type: Parameter["type"], value?: DefaultValue): Parameter {
  return value === undefined ? { name, type } : { name, type, default: value };
}

/** Describes a parameter that may be omitted. */
export function optional(name: string, type: Parameter["type"]): Parameter {
  return { name, type, optional: true };
}

/** Describes a required parameter that is a password or key. */
export function secretText(name: string): Parameter {
  return { name, type: "string", secret: true };
}

/** Describes a parameter that takes an array whose elements have the same type. */
export function listOf(items: NonNullable<Parameter["items"]>, name: string): Parameter {
  return { name, type: "array", items };
}

/** Describes a parameter that is a query. */
export function query(name: string, context: "element" | "same" | "error"): Parameter {
  return { name, type: "query", query: context };
}

/** Like `query`, for a parameter that may be omitted. */
export function optionalQuery(name: string, context: "element" | "same" | "error"): Parameter {
  return { ...query(name, context), optional: true };
}

/** The description of a function or method of another package. */
export interface WrittenBuiltin extends Omit<Details, "symbol" | "inline"> {
  readonly name: string;
  /** Its effect, in one sentence, for the reference and for editors. */
  readonly doc: string;
  /**
   * The runtime function. A method gets the target, the description of the target in error texts, and the arguments
   * of the call. A function gets only the arguments.
   */
  readonly runtime: RuntimeLink;
}

/** Describes a method of another package. */
export function defineMethod(method: WrittenBuiltin): Builtin {
  return defineBuiltin("method", method);
}

/** Describes a function of another package. Its runtime function gets only the arguments. */
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
    ...(details.converts === undefined ? {} : { converts: details.converts }),
    ...(details.elements === undefined ? {} : { elements: details.elements }),
    pure: details.pure ?? true,
    rescues: details.rescues ?? false,
    deprecated: details.deprecated ?? details.successor !== undefined,
    ...(details.successor === undefined ? {} : { successor: details.successor }),
    doc,
    module: details.inline === true ? "" : module,
    symbol: details.inline === true ? "" : (details.symbol ?? camelCase(name)),
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

/**
 * The types of a call during inference. Target and arguments are already narrowed to the types that the builtin
 * accepts.
 */
export interface CallTypes {
  /** The target's type; `Unknown` for functions. */
  readonly target: Type;
  /**
   * One type per parameter, or per argument for a variadic builtin; `undefined` if omitted. For a
   * query that is given, the type is meaningless: use `queryResult`.
   */
  readonly args: readonly (Type | undefined)[];
  /** Whether every argument is a constant, so that the builtin's `rule` has checked them. */
  readonly areConstant: boolean;
  /**
   * Returns the type of the query at `index` with `element` as its `this`. For `query: "error"` and `"same"`, its
   * `this` is the error text or the target's own `this`, and `element` is ignored.
   */
  readonly queryResult: (index: number, element: Type) => Type;
}

/**
 * Returns the type of a call's result, based only on its argument. `Never` if the call always
 * fails. The rule of a builtin with queries must call `queryResult` for each query given, with every type that can be
 * its `this`, so that every query is checked.
 */
export type ResultRule = (call: CallTypes) => Type;

/** Whether a call can fail, not counting its queries; true if unknown. */
type FailureRule = (call: CallTypes) => boolean;
