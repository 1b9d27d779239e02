// The results of checking a mapping, by node. The plan is made from them.

import type { Builtin } from "../../builtins/builtin.ts";
import type { BuiltinCatalogue } from "../../builtins/catalogue.ts";
import type { SourceText } from "../../source/source.ts";
import {
  type Binary,
  type CallNode,
  type Expression,
  type MapDefinition,
  type Mapping,
  type Statement,
  sampleOf,
  type Template,
} from "../../trees/mapping.ts";
import type { MisdeclaredLabels } from "../../trees/misdeclared-labels.ts";
import type { RequestPart } from "../../trees/named-variables.ts";
import { walk } from "../../trees/walk.ts";
import type { Tenant } from "../document/tenant.ts";
import type { ConstantValue } from "./constant.ts";
import type { Folder } from "./fold.ts";

/** A call with a valid name and valid arguments. */
export interface CheckedCall {
  readonly builtin: Builtin;
  /**
   * One entry for each parameter, `undefined` if the argument was left out; for a variadic builtin, one entry for each
   * argument.
   */
  readonly args: readonly (Expression | undefined)[];
}

/** Facts shared by mappings, queries and templates. */
export interface CheckedFacts {
  readonly calls: ReadonlyMap<CallNode, CheckedCall>;
  /** Named maps by name, including imported ones. */
  readonly maps: ReadonlyMap<string, MapDefinition>;
  readonly folder: Folder;
  /** The available functions and methods. */
  readonly builtins: BuiltinCatalogue;
}

/** A mapping without mistakes, ready to be planned. */
export interface CheckedMapping extends CheckedFacts {
  readonly kind: "CheckedMapping";
  readonly mapping: Mapping;
  /** The mapping with the same text from which the facts are known; those by node are found when something asks. */
  readonly like?: CheckedMapping;
  /** The statements to run: without maps and imports; a whole-file import is replaced by its statements. */
  readonly statements: readonly Statement[];
  /** Whether a part could not be read: that part may set or use what seems to be missing. */
  readonly isPartial: boolean;
}

/** Whether the calls of two mappings with the same text are calls of the same builtins: streams have their own caches. */
export function hasSameCalls(one: CheckedMapping, other: CheckedMapping): boolean {
  const [{ calls }, { calls: sampleCalls }] = [sampleOf(one), sampleOf(other)];
  if (calls === sampleCalls) return true;
  const others = [...sampleCalls.values()];
  return (
    calls.size === others.length &&
    [...calls.values()].every(({ builtin }, index) => builtin === others[index]?.builtin)
  );
}

/** Whether all of a mapping is in its own text: it uses no map and no other file. */
export function isWhole(checked: CheckedMapping): boolean {
  // Only mappings that are whole are repeated. Asking for the statements of a repeated one would parse it.
  if (checked.like !== undefined) return true;
  const { mapping, maps, statements } = checked;
  return mapping.form !== "from" && maps.size === 0 && statements.length === mapping.statements.length;
}

/** Whether the check of a mapping depends only on its text: it uses no other file, cache or variable of requests. */
export function isSelfContained(checked: CheckedMapping): boolean {
  if (checked.isPartial || !isWhole(checked)) return false;
  let hasVariable = false;
  walk(checked.mapping, {
    VariableText() {
      hasVariable = true;
    },
  });
  return !hasVariable && ![...checked.calls.values()].some(({ builtin }) => builtin.needs === "cache");
}

/** Returns the facts about a mapping with the text of another one. `check` finds those by node. */
export function repeatChecked(
  mapping: Mapping,
  like: CheckedMapping,
  check: () => CheckedMapping,
): CheckedMapping {
  let own: CheckedMapping | undefined;
  const checked = () => {
    own ??= check();
    return own;
  };
  return {
    kind: "CheckedMapping",
    mapping,
    like,
    maps: like.maps,
    isPartial: false,
    builtins: like.builtins,
    get statements() {
      return mapping.statements;
    },
    get calls() {
      return checked().calls;
    },
    get folder() {
      return checked().folder;
    },
  };
}

/** A bare query without mistakes. */
export interface CheckedQuery extends CheckedFacts {
  readonly kind: "CheckedQuery";
  readonly query: Expression;
}

/** A template without mistakes. */
export interface CheckedTemplate extends CheckedFacts {
  readonly kind: "CheckedTemplate";
  readonly template: Template;
}

/** The parsed file of an import; or the reason why there is none, as one clause: `file not found`. */
export type LoadedMapping =
  | { readonly mapping: Mapping }
  | {
      readonly reason: string;
      /** The reference engine's text, if it is not about a file that does not parse. */
      readonly reference?: string;
      /** Whether the reason is reported in the file itself. */
      readonly isReported?: boolean;
    };

/** The properties of a cache that matter to functions of mappings. */
export interface CacheInScope {
  /** Its kind: `memory`. */
  readonly name: string;
  /** Whether it answers synchronously: mappings do not wait. */
  readonly isSync: boolean;
}

/** The names that a mapping may refer to, in addition to its own. */
export interface MappingScope {
  /** The functions and methods that may be called; those of this package by default. */
  readonly builtins?: BuiltinCatalogue;
  /** Reads and parses the file of an import, relative to the importing file. */
  readonly load?: (path: string, from: SourceText) => LoadedMapping;
  /** Computes calls and operators that need no message; without it they are left to the runtime. */
  readonly evaluate?: Evaluator | undefined;
  /** Returns why a mapping in a text does not compile, in the words of the reference engine. */
  readonly findNestedFault?: ((source: string) => string | undefined) | undefined;
  /** Variables that are set from outside. */
  readonly variables?: ReadonlySet<string>;
  /** Whether reading a variable that nothing sets is an error, unless it has a fallback. */
  readonly refusesUnset?: boolean | undefined;
  /** The caches that functions may name, by label; absent if caches are not available here. */
  readonly caches?: ReadonlyMap<string, CacheInScope> | undefined;
  /** The labels of caches whose declarations cannot be read, which is reported there. */
  readonly misdeclared?: MisdeclaredLabels | undefined;
  /** Names of builtins that read files and are allowed nonetheless. */
  readonly allowed?: ReadonlySet<string>;
  /** The organisation that the scripts belong to, if this restricts what they may read. */
  readonly tenant?: Tenant | undefined;
  /**
   * Checks a request variable that a script reads. Without it, variables of requests and of the environment have no
   * value here and are reported.
   */
  readonly judgeRequest?: (variable: RequestPart) => void;
  /** Maps that are provided from outside. */
  readonly maps?: ReadonlyMap<string, MapDefinition>;
}

/** A value that only the runtime can read, such as a timestamp. */
export interface RuntimeConstant {
  readonly kind: "runtime";
  readonly value: unknown;
}

/** `deleted()` or `nothing()` as the target of a call. */
export interface AbsentConstant {
  readonly kind: "absence";
  readonly name: "delete" | "nothing";
}

/** A value that is known before any message. */
export type KnownValue = ConstantValue | RuntimeConstant | AbsentConstant;

/** The result of a call or an operator: its value, or the reason of its failure in the words of the reference engine. */
export type Evaluated = { readonly value: KnownValue } | { readonly failure: string };

/** A known operand and its origin, as error messages name it: `number literal`, `method ts_tz`. */
export interface KnownOperand {
  readonly value: KnownValue;
  readonly from: string;
}

/** Computes with known values as the runtime does. */
export interface Evaluator {
  /** Calls a method. Arguments are ordered by position; an omitted one is `undefined`. */
  method(method: Builtin, target: KnownValue, args: readonly (KnownValue | undefined)[]): Evaluated;
  /** Applies an operator that calculates or compares; `undefined` for the others. */
  operator(operator: Binary["operator"], left: KnownOperand, right: KnownOperand): Evaluated | undefined;
}
