// Plans of mappings, queries and templates as functions. In comes a plan and a name, out come whole
// declarations: the functions of named maps first, then the one that was asked for.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { MapPlan, MappingPlan, Planned, QueryPlan, Slot, TemplatePlan } from "../../plan/mapping/ir.ts";
import {
  annotation,
  block,
  type Code,
  call,
  code,
  fragment,
  hardBreak,
  join,
  list,
  literal,
  raw,
} from "../code.ts";
import { identifierFrom } from "../names.ts";
import { findCertainReadOf } from "./certain.ts";
import { emitExpression } from "./dispatch.ts";
import { emitPlanned } from "./expressions.ts";
import { withKept } from "./kept.ts";
import { collectReadSlots, readsRoot, writesRoot } from "./reads.ts";
import { declareInitialRoot } from "./root.ts";
import { runtime, runtimeType } from "./runtime.ts";
import {
  createEmitScope,
  createFunction,
  type EmitScope,
  type FunctionState,
  readInAdvance,
  withLocal,
} from "./scope.ts";
import { emitStatements } from "./statements.ts";
import { emitText } from "./text.ts";
import { slotName } from "./variables.ts";

/** How the function is called. */
export interface EmitOptions {
  /**
   * `message`: with a batch and an index, as processors do. `run`: with a run and variables, giving the
   * bare value; the embedding API and tests look inside this way.
   */
  readonly entry?: "message" | "run";
}

/** The declarations of any script. */
export function emitScript(plan: MappingPlan | QueryPlan | TemplatePlan, name: string): Code {
  switch (plan.kind) {
    case "MappingPlan":
      return emitMapping(plan, name);
    case "QueryPlan":
      return emitQuery(plan, name);
    case "TemplatePlan":
      return emitTemplate(plan, name);
    default:
      return unreachable(plan);
  }
}

/** `function name(batch, index): Message | undefined`; of mode `result`, `(result, origin, index)`. */
export function emitMapping(plan: MappingPlan, name: string, options: EmitOptions = {}): Code {
  const maps = nameMaps(plan.maps, name);
  const entry = options.entry ?? "message";
  const written = finishRoot((keyword) => {
    const kind = writesRoot(plan.statements) || readsRoot(plan.statements) ? plan.mode : "mapping";
    const state = createFunction({
      kind,
      name,
      emit: emitPlanned,
      maps,
      readSlots: collectReadSlots(plan.statements),
      rootKeyword: keyword,
    });
    return { state, body: emitMappingBody(plan, state, entry) };
  });
  const main = mappingFunction(name, plan.mode, entry, written);
  return declarations(plan.maps, maps, withKept(written.state, main));
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
  return declarations(plan.maps, maps, withKept(state, main));
}

/** `function name(batch, index): string` */
export function emitTemplate(plan: TemplatePlan, name: string, options: EmitOptions = {}): Code {
  const state = createFunction({ kind: "template", name, emit: emitPlanned });
  const scope = createEmitScope(state);
  const text = emitText(plan, scope);
  const body = [...scope.prelude, code`return ${text};`];
  return withKept(state, valueFunction(name, annotation(raw(": string")), body, state, options));
}

/** Writes the function; once more with `const` where the root turned out never to change. */
function finishRoot<T extends { readonly state: FunctionState }>(write: (keyword: Code) => T): T {
  const written = write(raw("let"));
  return written.state.rootChanges ? written : write(raw("const"));
}

function emitMappingBody(plan: MappingPlan, state: FunctionState, entry: "message" | "run"): readonly Code[] {
  const scope = createEmitScope(state);
  const initial = state.root === "unset" ? [] : [declareInitialRoot(scope)];
  const statements = emitStatements(plan.statements, scope);
  const variables = declareVariables(plan.slots, scope);
  const root = state.used.has("root") ? raw("root") : runtime("nothing");
  const last = entry === "run" ? code`return ${root};` : code`return ${call(raw("run.finish"), [root])};`;
  return [...variables, ...guard([...initial, ...statements, last], state, "failedAssignment")];
}

/** The statements, with a failure told by the line it happened on. */
function guard(
  statements: readonly Code[],
  state: FunctionState,
  wrap: "failedAssignment" | "failedMapAssignment",
): readonly Code[] {
  if (state.lines.size === 0) return statements;
  const [first = 1, ...others] = state.lines;
  const failure = call(runtime(wrap), [others.length === 0 ? literal(first) : raw("line"), raw("error")]);
  const guarded = code`try ${block(statements)} catch (error) ${block([code`throw ${failure};`])}`;
  return others.length === 0 ? [guarded] : [code`let line = ${first};`, guarded];
}

function declareVariables(slots: readonly Slot[], scope: EmitScope): readonly Code[] {
  return slots
    .filter((slot) => !slot.constant && scope.state.readSlots.has(slot))
    .map(
      (slot) =>
        code`let ${raw(slotName(slot, scope))}${annotation(code`: ${runtimeType("Value")} | undefined`)};`,
    );
}

/** `const document = …` where it is sure to be read, then `return value;` */
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
  entry: "message" | "run",
  { body, state }: { readonly body: readonly Code[]; readonly state: FunctionState },
): Code {
  if (entry === "run")
    return valueFunction(name, annotation(code`: ${runtimeType("Value")}`), body, state, { entry });
  const batch = typed("batch", runtimeType("Batch"));
  const index = typed("index", raw("number"));
  const result = annotation(code`: ${runtimeType("Message")} | undefined`);
  const run = runtime("MappingRun");
  if (mode !== "result") {
    const start = code`const run = new ${run}(batch, index);`;
    return code`function ${raw(name)}${list("(", [batch, index], ")")}${result} ${block([start, ...body])}`;
  }
  const start = code`const run = new ${run}(result, index, origin[index]);`;
  const parameters = [typed("result", runtimeType("Batch")), typed("origin", runtimeType("Batch")), index];
  return code`function ${raw(name)}${list("(", parameters, ")")}${result} ${block([start, ...body])}`;
}

/** A function that gives a value; parameters it does not need are left out. */
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
      typed(unusedAs("variables", state), code`${runtimeType("Variables")} | undefined`),
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

function typed(name: string, type: Code): Code {
  return code`${raw(name)}${annotation(code`: ${type}`)}`;
}

function unusedAs(name: string, state: FunctionState): string {
  return state.used.has(name) ? name : `_${name}`;
}

/** Names for the functions of maps: the mapping's and the map's. */
function nameMaps(maps: readonly MapPlan[], owner: string): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const named = maps.map(({ name }) => {
    const own = identifierFrom(name, "map");
    const base = `${owner}${own.charAt(0).toUpperCase()}${own.slice(1)}`;
    let symbol = base;
    for (let number = 2; taken.has(symbol); number++) symbol = `${base}${number}`;
    taken.add(symbol);
    return [name, symbol] as const;
  });
  return new Map(named);
}

function declarations(plans: readonly MapPlan[], maps: ReadonlyMap<string, string>, main: Code): Code {
  const blank = fragment([hardBreak, hardBreak]);
  return join([...plans.map((plan) => emitMap(plan, maps)), main], blank);
}

/** `function name(value: Value, run: MappingRun): Value` */
function emitMap(plan: MapPlan, maps: ReadonlyMap<string, string>): Code {
  const name = maps.get(plan.name) ?? plan.name;
  const { state, body } = finishRoot((keyword) => {
    const made = createFunction({
      kind: "map",
      name,
      emit: emitPlanned,
      maps,
      readSlots: collectReadSlots(plan.statements),
      rootKeyword: keyword,
    });
    const scope = withLocal(createEmitScope(made), plan.parameter, raw("value"));
    made.names.claim("value", "value");
    const statements = emitStatements(plan.statements, scope);
    const root = made.used.has("root") ? raw("root") : runtime("nothing");
    const whole = guard([...statements, code`return ${root};`], made, "failedMapAssignment");
    return { state: made, body: [...declareVariables(plan.slots, scope), ...whole] };
  });
  const value = annotation(code`: ${runtimeType("Value")}`);
  const parameters = [
    typed(unusedAs("value", state), runtimeType("Value")),
    typed(plan.recursive ? "run" : unusedAs("run", state), runtimeType("MappingRun")),
  ];
  const written = plan.recursive
    ? [code`return ${runtime("descend")}(run, ${plan.name}, () => ${block(body)});`]
    : body;
  const main = code`function ${raw(name)}${list("(", parameters, ")")}${value} ${block(written)}`;
  return withKept(state, main);
}
