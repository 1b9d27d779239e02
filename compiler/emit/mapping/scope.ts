// What the emitter knows at one place of a function: names in reach, how `this` is read, what the root is.

import { readsDocument } from "../../plan/mapping/contents.ts";
import type { Local, MappingMode, Match, Planned, Slot } from "../../plan/mapping/ir.ts";
import { type Code, call, code, raw } from "../code.ts";
import { createNames, type Names, resourcesName } from "../names.ts";
import type { CertainRead } from "./certain.ts";
import type { Emitted } from "./precedence.ts";
import { isRuntimeSymbol, runtime } from "./runtime.ts";

/** What a function is for. A `query` stands alone; a `check` asks about a message. */
export type FunctionKind = MappingMode | "map" | "query" | "check" | "template";

/** Emits an expression of any kind. */
export type EmitPlanned = (node: Planned, scope: EmitScope) => Emitted;

/** What a function is made with. */
export interface FunctionOptions {
  readonly kind: FunctionKind;
  /** Its name. */
  readonly name: string;
  readonly emit: EmitPlanned;
  readonly maps?: ReadonlyMap<string, string>;
  readonly readSlots?: ReadonlySet<Slot>;
  readonly rootKeyword?: Code;
}

/** One emitted function, while its body is being written. */
export interface FunctionState {
  readonly kind: FunctionKind;
  readonly name: string;
  /** Emits any expression. */
  readonly emit: EmitPlanned;
  readonly names: Names;
  readonly slots: Map<Slot, string>;
  /** The variables that some expression reads; the others are not kept. */
  readonly readSlots: ReadonlySet<Slot>;
  /** Functions of named maps by name of the map. */
  readonly maps: ReadonlyMap<string, string>;
  /** Declarations of what its calls keep from run to run, by name; they stand before the function. */
  readonly kept: Map<string, Code>;
  /** The constants among them that hold a text with variables, by what stands in it. */
  readonly texts: Map<string, string>;
  /** Names of parameters the body has used. */
  readonly used: Set<string>;
  /** What is known of the root so far. */
  root: RootState;
  /** In a mutation that reads `this` after another root took its place: the variable with what the root was. */
  replaced: Code | undefined;
  /** `const` unless the root variable is assigned after its declaration. */
  readonly rootKeyword: Code;
  rootChanges: boolean;
  /** The line noted last, and all that were noted. */
  line: number | undefined;
  readonly lines: Set<number>;
  /** The part of a statement noted last, `undefined` where it depends on what ran before. */
  part: string | undefined;
  /** All that were noted, by the numbers that stand for them in the function; the first is the statement itself. */
  readonly parts: string[];
}

/**
 * `unset`: surely never assigned, there is no variable yet. `value`: anything. `object`: an object of our
 * own, which may be changed in place.
 */
export type RootState = "unset" | "value" | "object";

/** A place in a function. */
export interface EmitScope {
  readonly state: FunctionState;
  /** The run whose message functions such as `json` look at. */
  readonly run: Code;
  /** Names and values of locals of the plan. */
  readonly locals: ReadonlyMap<Local, Code>;
  readonly names: Names;
  /** Statements that come before the one being written; constants that expressions read. */
  readonly prelude: Code[];
  /** The variable that holds the document, once a statement has surely read it. */
  readonly document: Code | undefined;
  /** Inside a function expression, where TypeScript forgets what it knows of variables. */
  readonly nested: boolean;
}

/** The state of a new function. */
export function createFunction(options: FunctionOptions): FunctionState {
  const { kind, name, emit } = options;
  return {
    kind,
    name,
    emit,
    names: createNames(isRuntimeSymbol),
    slots: new Map(),
    readSlots: options.readSlots ?? new Set(),
    maps: options.maps ?? new Map(),
    kept: new Map(),
    texts: new Map(),
    used: new Set(),
    root: kind === "mutation" || kind === "result" ? "value" : "unset",
    replaced: undefined,
    rootKeyword: options.rootKeyword ?? raw("let"),
    rootChanges: false,
    line: undefined,
    lines: new Set(),
    part: "",
    parts: [""],
  };
}

/** What functions of mappings call their own values; nothing that they import has such a name. */
export const localNames: readonly string[] = [
  "batch",
  "index",
  "line",
  "part",
  resourcesName,
  "root",
  "run",
  "variables",
];

/** The outermost scope of a function. */
export function createEmitScope(state: FunctionState): EmitScope {
  const { names } = state;
  for (const name of localNames) names.claim(name, name);
  return {
    state,
    run: raw("run"),
    locals: new Map(),
    names,
    prelude: [],
    document: undefined,
    nested: false,
  };
}

/** The scope of a function expression with its own parameters and prelude. */
export function nestedScope(scope: EmitScope): EmitScope {
  return { ...scope, names: scope.names.inner(), prelude: [], nested: true };
}

/** The scope with `local` bound to `value`. */
export function withLocal(scope: EmitScope, local: Local, value: Code): EmitScope {
  return { ...scope, locals: new Map(scope.locals).set(local, value) };
}

/** The run, noting that the function needs it. */
export function useRun(scope: EmitScope): Code {
  scope.state.used.add("run");
  return scope.run;
}

/** What `this` is in a document context, for a read the user spelt as `reference`. */
export function readDocument(scope: EmitScope, reference: string): Code {
  if (scope.document !== undefined) return scope.document;
  const read = readMessage(scope, reference);
  const isMutation = scope.state.kind === "mutation";
  return code`${runtime("fieldsOf")}(${isMutation ? code`${mutatedDocument(scope)} ?? ${read}` : read})`;
}

/** `run.mutated(root)`: what `this` is in a mutation, undefined where the message is not a document. */
export function mutatedDocument({ state }: EmitScope): Code {
  state.used.add("run");
  const { replaced } = state;
  return call(raw("run.mutated"), [raw("root"), ...(replaced === undefined ? [] : [replaced])]);
}

/** The document of the message. A check, which may be one of many, does it without a run. */
function readMessage({ state }: EmitScope, reference: string): Code {
  state.used.add(state.kind === "check" ? "batch" : "run");
  switch (state.kind) {
    case "check":
      return code`${runtime("documentOf")}(batch, index, ${reference})`;
    case "query":
    case "template":
      return code`run.templateDocument(${reference})`;
    default:
      return code`run.document(${reference})`;
  }
}

/** Whether an expression can fail here; a document that is in a variable cannot any more. */
export function canFail(expression: Planned, scope: EmitScope): boolean {
  if (expression.fails === "document") return scope.document === undefined;
  return expression.fails === "maybe";
}

/** The document for `?.` reads whose failure counts as an absence: null where the message is not JSON. */
export function readDocumentIfAny(scope: EmitScope): Code {
  if (scope.document !== undefined) return scope.document;
  scope.state.used.add("run");
  return code`${runtime("fieldsOf")}(run.documentIfAny())`;
}

/** The document, read in advance for an expression of which `read` is the first to need it. */
export function readInAdvance(scope: EmitScope, { reference, key }: CertainRead): Code {
  if (key === undefined) return readDocument(scope, reference);
  const read = readMessage(scope, reference);
  return code`${runtime("fieldsOf")}(${runtime("within")}(${keyPart(key)}, () => ${read}))`;
}

/** The scope of a `match` without a subject, for which `this` is null where the message is not a document. */
export function withDocumentIfAny(match: Match, scope: EmitScope): EmitScope {
  if (match.subject !== undefined || scope.document !== undefined || !readsDocument(match)) return scope;
  const name = raw(scope.names.claim("document", "document"));
  const read =
    scope.state.kind === "mutation"
      ? code`${runtime("fieldsOf")}(${mutatedDocument(scope)} ?? null)`
      : readDocumentIfAny(scope);
  scope.prelude.push(code`const ${name} = ${read};`);
  return { ...scope, document: name };
}

/** How failures name the value of a key. */
export function keyPart(key: string): string {
  return `failed to resolve '${key}' value`;
}
