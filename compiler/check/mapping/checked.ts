// What checking finds out about a mapping, keyed by node: the plan is made from this.

import type { Builtin } from "../../builtins/builtin.ts";
import type { BuiltinCatalogue } from "../../builtins/catalogue.ts";
import type { SourceText } from "../../source/source.ts";
import type {
  Expression,
  FunctionCall,
  MapDefinition,
  Mapping,
  MethodCall,
  Statement,
  Template,
} from "../../trees/mapping.ts";
import type { RequestPart } from "../../trees/named-variables.ts";
import type { Tenant } from "../document/tenant.ts";
import type { ConstantValue } from "./constant.ts";
import type { Folder } from "./fold.ts";

/** A call whose name and arguments are known good. */
export interface CheckedCall {
  readonly builtin: Builtin;
  /**
   * One entry for each parameter, `undefined` where the argument was left out; for a variadic builtin one
   * for each argument.
   */
  readonly args: readonly (Expression | undefined)[];
}

/** Facts shared by mappings, queries and templates. */
export interface CheckedFacts {
  readonly calls: ReadonlyMap<FunctionCall | MethodCall, CheckedCall>;
  /** Named maps by name, imported ones included. */
  readonly maps: ReadonlyMap<string, MapDefinition>;
  readonly folder: Folder;
  /** The functions and methods there are. */
  readonly builtins: BuiltinCatalogue;
}

/** A mapping without mistakes, ready to be planned. */
export interface CheckedMapping extends CheckedFacts {
  readonly kind: "CheckedMapping";
  readonly mapping: Mapping;
  /** What runs: maps and imports taken out, a whole-file import replaced by its statements. */
  readonly statements: readonly Statement[];
  /** Whether something could not be read: what is not set or used here may be so there. */
  readonly isPartial: boolean;
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

/** A file an import names, parsed; or why there is none, as one clause: `file not found`. */
export type LoadedMapping =
  | { readonly mapping: Mapping }
  | {
      readonly reason: string;
      /** The reason is reported in the file itself. */
      readonly isReported?: boolean;
    };

/** A cache as functions of mappings see it. */
export interface CacheInScope {
  /** What kind it is: `memory`. */
  readonly name: string;
  /** It answers at once; mappings wait for nothing. */
  readonly isSync: boolean;
}

/** What a mapping may refer to besides itself. */
export interface MappingScope {
  /** The functions and methods that may be called; those of this package without it. */
  readonly builtins?: BuiltinCatalogue;
  /** Reads and parses the file an import names, relative to the file that imports it. */
  readonly load?: (path: string, from: SourceText) => LoadedMapping;
  /** Works out calls that need no message; without it they are left to the runtime. */
  readonly evaluate?: EvaluateMethod | undefined;
  /** Variables that are set from outside. */
  readonly variables?: ReadonlySet<string>;
  /** Whether reading a variable that nothing sets is an error, unless it has something to fall back on. */
  readonly refusesUnset?: boolean | undefined;
  /** The caches that functions may name, by label; absent where there can be none. */
  readonly caches?: ReadonlyMap<string, CacheInScope> | undefined;
  /** Builtins that read files and may be used nonetheless, by name. */
  readonly allowed?: ReadonlySet<string>;
  /** Whose documents the scripts are of, where that decides what they may read. */
  readonly tenant?: Tenant | undefined;
  /**
   * Judges a variable of a request that a script reads. Without it variables of requests and of the environment have no
   * value here, and are reported.
   */
  readonly judgeRequest?: (variable: RequestPart) => void;
  /** Maps that are given from outside. */
  readonly maps?: ReadonlyMap<string, MapDefinition>;
}

/** What only the runtime can read, such as a timestamp. */
export interface RuntimeConstant {
  readonly kind: "runtime";
  readonly value: unknown;
}

/** A value that is known before any message. */
export type KnownValue = ConstantValue | RuntimeConstant;

/** What became of a call: its value, or why it failed in the reference's words. */
export type Evaluated = { readonly value: KnownValue } | { readonly failure: string };

/** Calls a method on known values. Arguments stand by position; one that was left out is `undefined`. */
export type EvaluateMethod = (
  method: Builtin,
  target: KnownValue,
  args: readonly (KnownValue | undefined)[],
) => Evaluated;
