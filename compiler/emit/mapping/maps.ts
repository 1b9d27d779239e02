// Emits named maps as functions: their names, and their declarations before the function that applies them.

import { collectReadSlots } from "../../plan/mapping/contents.ts";
import type { MapPlan } from "../../plan/mapping/ir.ts";
import { annotation, block, type Code, code, list, raw } from "../code.ts";
import { identifierFrom } from "../names.ts";
import { declareVariables, finishRoot, guard } from "./body.ts";
import { emitPlanned } from "./expressions.ts";
import { withKept } from "./kept.ts";
import { typed, unusedAs } from "./parameters.ts";
import { runtime, runtimeType } from "./runtime.ts";
import { createEmitScope, createFunction, withLocal } from "./scope.ts";
import { emitStatements } from "./statements.ts";

/** Returns names for the functions of maps: the mapping's name followed by the map's. */
export function nameMaps(maps: readonly MapPlan[], owner: string): ReadonlyMap<string, string> {
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

/** Returns the declarations of all maps, in their order. */
export function emitMaps(plans: readonly MapPlan[], names: ReadonlyMap<string, string>): readonly Code[] {
  return plans.map((plan) => emitMap(plan, names));
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
