// The state of the emitter at one place of a function: the names in scope, how `this` is read, and the state of the
// root.

import { readsDocument } from "../../plan/mapping/contents.ts";
import type { Local, MappingMode, Match, Planned, Slot } from "../../plan/mapping/ir.ts";
import { type Code, call, code, raw } from "../code.ts";
import { createNames, type Names, resourcesName } from "../names.ts";
import type { CertainRead } from "./certain.ts";
import type { Emitted } from "./precedence.ts";
import { isRuntimeSymbol, runtime } from "./runtime.ts";

/** The purpose of a function. A `query` stands alone; a `check` tests a message. */
export type FunctionKind = MappingMode | "map" | "query" | "check" | "template";

/** Emits an expression of any kind. */
export type EmitPlanned = (node: Planned, scope: EmitScope) => Emitted;

/** The options for creating a function. */
export interface FunctionOptions {
  readonly kind: FunctionKind;
  /** Its name. */
  readonly name: string;
  readonly emit: EmitPlanned;
  readonly maps?: ReadonlyMap<string, string>;
  readonly readSlots?: ReadonlySet<Slot>;
  readonly rootKeyword?: Code;
}

/** An emitted function while its body is being written. */
export interface FunctionState {
  readonly kind: FunctionKind;
  readonly name: string;
  /** Emits any expression. */
  readonly emit: EmitPlanned;
  readonly names: Names;
  readonly slots: Map<Slot, string>;
  /** The variables that some expression reads. The others are not kept. */
  readonly readSlots: ReadonlySet<Slot>;
  /** The functions of named maps by name of the map. */
  readonly maps: ReadonlyMap<string, string>;
  /** The declarations of the state that its calls keep between runs, by name. They are emitted before the function. */
  readonly kept: Map<string, Code>;
  /** The constants among them that contain a text with variables, by their content. */
  readonly texts: Map<string, string>;
  /** The names of the parameters that the body uses. */
  readonly used: Set<string>;
  /** The state of the root so far. */
  root: RootState;
  /** The variable with the previous root, in a mutation that reads `this` after another root has replaced it. */
  replaced: Code | undefined;
  /** `const` unless the root variable is assigned after its declaration. */
  readonly rootKeyword: Code;
  rootChanges: boolean;
  /** The last line that was noted, and all lines that were noted. */
  line: number | undefined;
  readonly lines: Set<number>;
  /** The last part of a statement that was noted; `undefined` if it depends on the code that ran before. */
  part: string | undefined;
  /** All parts that were noted, by their numbers in the function. The first is the statement itself. */
  readonly parts: string[];
}

/**
 * `unset`: certainly never assigned, without a variable yet. `value`: any value. `object`: an object that the function
 * created, which may be changed in place.
 */
export type RootState = "unset" | "value" | "object";

/** A place in a function. */
export interface EmitScope {
  readonly state: FunctionState;
  /** The run whose message functions such as `json` read. */
  readonly run: Code;
  /** Names and values of the plan's local variables. */
  readonly locals: ReadonlyMap<Local, Code>;
  readonly names: Names;
  /** Statements before the current one: constants that expressions read. */
  readonly prelude: Code[];
  /** The variable that contains the document, after a statement has certainly read it. */
  readonly document: Code | undefined;
  /** Whether the place is inside a function expression, in which TypeScript does not narrow variables. */
  readonly nested: boolean;
}

/** Returns the state of a new function. */
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

/** The names of local values in functions of mappings. Their imports must not have these names. */
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

/** Returns the outermost scope of a function. */
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

/** Returns the scope of a function expression with its own parameters and prelude. */
export function nestedScope(scope: EmitScope): EmitScope {
  return { ...scope, names: scope.names.inner(), prelude: [], nested: true };
}

/** Returns the scope with `local` bound to `value`. */
export function withLocal(scope: EmitScope, local: Local, value: Code): EmitScope {
  return { ...scope, locals: new Map(scope.locals).set(local, value) };
}

/** Returns the run, and records that the function needs it. */
export function useRun(scope: EmitScope): Code {
  scope.state.used.add("run");
  return scope.run;
}

/** Returns the value of `this` in a document context, for a read that the user spelt as `reference`. */
export function readDocument(scope: EmitScope, reference: string): Code {
  if (scope.document !== undefined) return scope.document;
  const read = readMessage(scope, reference);
  const isMutation = scope.state.kind === "mutation";
  return code`${runtime("fieldsOf")}(${isMutation ? code`${mutatedDocument(scope)} ?? ${read}` : read})`;
}

/** Returns `run.mutated(root)`, the value of `this` in a mutation; undefined if the message is not a document. */
export function mutatedDocument({ state }: EmitScope): Code {
  state.used.add("run");
  const { replaced } = state;
  return call(raw("run.mutated"), [raw("root"), ...(replaced === undefined ? [] : [replaced])]);
}

/** Returns the document of the message. A check, which may be one of many, reads it without a run. */
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

/** Whether an expression can fail here. A document that is already in a variable cannot. */
export function canFail(expression: Planned, scope: EmitScope): boolean {
  if (expression.fails === "document") return scope.document === undefined;
  return expression.fails === "maybe";
}

/** Returns the document for `?.` reads whose failure counts as an absence: null if the message is not JSON. */
export function readDocumentIfAny(scope: EmitScope): Code {
  if (scope.document !== undefined) return scope.document;
  scope.state.used.add("run");
  return code`${runtime("fieldsOf")}(run.documentIfAny())`;
}

/** Reads the document in advance, for an expression that first needs it at `read`. */
export function readInAdvance(scope: EmitScope, { reference, key }: CertainRead): Code {
  if (key === undefined) return readDocument(scope, reference);
  const read = readMessage(scope, reference);
  return code`${runtime("fieldsOf")}(${runtime("within")}(${keyPart(key)}, () => ${read}))`;
}

/** Returns the scope of a `match` without a subject, in which `this` is null if the message is not a document. */
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

/** Returns the text by which failures name the value of a key. */
export function keyPart(key: string): string {
  return `failed to resolve '${key}' value`;
}
