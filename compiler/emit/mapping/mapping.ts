// Emits plans of mappings, queries and templates as functions. Returns whole declarations: first the functions of named
// maps, then the requested function.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { MappingPlan, Planned, QueryPlan, TemplatePlan } from "../../plan/mapping/ir.ts";
import {
  annotation,
  block,
  type Code,
  call,
  code,
  list,
  literal,
  raw,
  separated,
  shared,
  templateLiteral,
} from "../code.ts";
import { emitBody, rethrow, type WrittenBody } from "./body.ts";
import { findCertainReadOf } from "./certain.ts";
import { emitExpression } from "./dispatch.ts";
import { emitPlanned } from "./expressions.ts";
import { withKept } from "./kept.ts";
import { emitMaps, nameMaps } from "./maps.ts";
import { batchOf, resultOf, type StepTypes, typed, unusedAs } from "./parameters.ts";
import { runtime, runtimeType } from "./runtime.ts";
import {
  createEmitScope,
  createFunction,
  type EmitScope,
  type FunctionState,
  readInAdvance,
} from "./scope.ts";

/** How the function is called. */
interface EmitOptions {
  /**
   * `message`: with a batch and an index, as processors call it. `run`: with a run and variables, and returns the bare
   * value, for the embedding API and tests.
   */
  readonly entry?: "message" | "run";
  /** The types of its messages, if they are known. */
  readonly step?: StepTypes | undefined;
}

/** Emits the declarations of any script. `step`: the types of a mapping's messages. */
export function emitScript(
  plan: MappingPlan | QueryPlan | TemplatePlan,
  name: string,
  step?: StepTypes,
): Code {
  switch (plan.kind) {
    case "MappingPlan":
      return emitMapping(plan, name, plan.mode === "function" ? { entry: "run" } : { step });
    case "QueryPlan":
      return emitQuery(plan, name);
    case "TemplatePlan":
      return emitTemplate(plan, name);
    default:
      return unreachable(plan);
  }
}

/** `function name(batch, index): Message | undefined`; in mode `result`, `(result, origin, index)`. */
export function emitMapping(plan: MappingPlan, name: string, options: EmitOptions = {}): Code {
  const maps = nameMaps(plan.maps, name);
  const entry = options.entry ?? "message";
  const known = entry === "message" ? blocks.get(plan.statements)?.get(plan.mode) : undefined;
  if (known !== undefined) return mappingFunction(name, plan.mode, options.step ?? {}, known);
  const end = (root: Code) => [
    entry === "run"
      ? code`return ${root};`
      : code`return ${call(raw("run.finish"), [finalRoot(plan, root)])};`,
  ];
  const written = emitBody(plan, { name, maps, end, failed: rethrow });
  if (entry === "message" && plan.maps.length === 0 && written.state.kept.size === 0) {
    const own = shared(mappingBlock(plan.mode, written));
    const ofModes = blocks.get(plan.statements) ?? new Map<MappingPlan["mode"], Code>();
    blocks.set(plan.statements, ofModes.set(plan.mode, own));
    return mappingFunction(name, plan.mode, options.step ?? {}, own);
  }
  const main =
    entry === "run"
      ? valueFunction(name, annotation(code`: ${runtimeType("Value")}`), written.body, written.state, options)
      : mappingFunction(name, plan.mode, options.step ?? {}, mappingBlock(plan.mode, written));
  return separated([...emitMaps(plan.maps, maps), withKept(written.state, main)]);
}

/** The blocks of functions that depend on nothing but their statements, which equal mappings share. */
const blocks = new WeakMap<MappingPlan["statements"], Map<MappingPlan["mode"], Code>>();

/** Emits the resulting root; `orEmpty(root)` if a request may be assigned nothing. */
function finalRoot({ mode, statements }: MappingPlan, root: Code): Code {
  const isBuilt = statements.some(
    (each) =>
      (each.kind === "AssignRoot" || each.kind === "AssignField") &&
      (!each.value.absence || (each.value.kind === "Absence" && each.value.name === "deleted")),
  );
  return mode !== "request" || isBuilt ? root : call(runtime("orEmpty"), [root]);
}

/** `function name(batch, index): Value` */
export function emitQuery(plan: QueryPlan, name: string, options: EmitOptions = {}): Code {
  const maps = nameMaps(plan.maps, name);
  const state = createFunction({
    kind: options.entry === "run" ? "query" : "check",
    name,
    emit: emitPlanned,
    maps,
  });
  const scope = createEmitScope(state);
  const body = emitResult(plan.query, scope);
  const result = annotation(code`: ${runtimeType("Value")}`);
  const main = valueFunction(name, result, body, state, options);
  return separated([...emitMaps(plan.maps, maps), withKept(state, main)]);
}

/** `function name(batch, index): string` */
export function emitTemplate(plan: TemplatePlan, name: string, options: EmitOptions = {}): Code {
  const state = createFunction({ kind: "template", name, emit: emitPlanned });
  const scope = createEmitScope(state);
  const text = emitText(plan, scope);
  const body = [...scope.prelude, code`return ${text};`];
  return withKept(state, valueFunction(name, annotation(raw(": string")), body, state, options));
}

/** Emits `const document = …` if it is certainly read, then `return value;` */
function emitResult(query: Planned, scope: EmitScope): readonly Code[] {
  const read = findCertainReadOf(query);
  if (read === undefined) {
    const value = emitExpression(query, scope).code;
    return [...scope.prelude, code`return ${value};`];
  }
  const name = raw(scope.names.claim("document", "document"));
  const document = code`const ${name} = ${readInAdvance(scope, read)};`;
  const value = emitExpression(query, { ...scope, document: name }).code;
  return [document, ...scope.prelude, code`return ${value};`];
}

function mappingFunction(
  name: string,
  mode: MappingPlan["mode"],
  { reads, gives }: StepTypes,
  written: Code,
): Code {
  const batch = typed("batch", batchOf(reads));
  const index = typed("index", raw("number"));
  const result = resultOf(gives);
  const parameters =
    mode === "result"
      ? [typed("result", batchOf(undefined)), typed("origin", batchOf(reads)), index]
      : [batch, index];
  return code`function ${raw(name)}${list("(", parameters, ")")}${result} ${written}`;
}

function mappingBlock(mode: MappingPlan["mode"], { body }: WrittenBody): Code {
  const from = mode === "result" ? code`result, index, origin[index]` : code`batch, index`;
  return block([code`const run = new ${runtime("MappingRun")}(${from});`, ...body]);
}

/** Emits a function that returns a value. Leaves out the parameters that it does not need. */
function valueFunction(
  name: string,
  result: Code,
  body: readonly Code[],
  state: FunctionState,
  options: EmitOptions,
): Code {
  if (options.entry === "run") {
    const parameters = [
      typed(unusedAs("run", state), runtimeType("MappingRun")),
      typed(unusedAs("variables", state), code`${runtimeType("MappingVariables")} | undefined`),
    ];
    return code`function ${raw(name)}${list("(", parameters, ")")}${result} ${block(body)}`;
  }
  const needed = state.used.has("run");
  const parameters =
    needed || state.used.has("batch")
      ? [typed("batch", runtimeType("Batch")), typed("index", raw("number"))]
      : [];
  const start = needed ? [code`const run = new ${runtime("MappingRun")}(batch, index);`] : [];
  const given = state.used.has("variables") ? [code`const variables = undefined;`] : [];
  return code`function ${raw(name)}${list("(", parameters, ")")}${result} ${block([...start, ...given, ...body])}`;
}

/** `` `orders-${textOf(…)}` ``; a single query becomes only its text. */
function emitText(plan: TemplatePlan, scope: EmitScope): Code {
  const bound = bindDocument(plan, scope);
  const [only] = plan.parts;
  if (only === undefined) return literal("");
  if (plan.parts.length === 1) return typeof only === "string" ? literal(only) : emitPart(only, bound);
  return templateLiteral(plan.parts.map((part) => (typeof part === "string" ? part : emitPart(part, bound))));
}

function bindDocument(plan: TemplatePlan, scope: EmitScope): EmitScope {
  const query = plan.parts.find((part) => typeof part !== "string");
  const read = query === undefined ? undefined : findCertainReadOf(query);
  if (read === undefined) return scope;
  const name = raw(scope.names.claim("document", "document"));
  scope.prelude.push(code`const ${name} = ${readInAdvance(scope, read)};`);
  return { ...scope, document: name };
}

function emitPart(part: Planned, scope: EmitScope): Code {
  const { code: value } = emitExpression(part, scope);
  return part.type === "string" ? value : call(runtime("textOf"), [value]);
}
