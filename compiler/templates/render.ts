// The mapping of a template as a function of this process: the values of its fields in, the configuration as JSON out.

import type { MappingRun } from "../../runtime/mapping/run.ts";
import type { Value } from "../../runtime/message/value.ts";
import { checkMapping } from "../check/mapping/check.ts";
import { type Report, watchErrors } from "../diagnostics/sink.ts";
import { emitMapping } from "../emit/mapping/mapping.ts";
import { evaluateCode } from "../evaluate/evaluate-code.ts";
import { evaluateMethod } from "../evaluate/evaluate-method.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { planMapping } from "../plan/mapping/plan-mapping.ts";
import type { Dialect } from "../trees/dialect.ts";
import type { Json } from "../trees/document.ts";
import type { Mapping } from "../trees/mapping.ts";

/** Gives JSON, or why there is none. */
export type RenderFields = (fields: Json) => { readonly json: string } | { readonly reason: string };

/** The function of a mapping, made when it is first called; `undefined` after a report of mistakes in it. */
export function createRenderer(
  mapping: Mapping,
  { builtins }: Dialect,
  report: Report,
): RenderFields | undefined {
  const watched = watchErrors(report);
  const checked = checkMapping(mapping, { builtins, evaluate: evaluateMethod }, watched.report);
  if (watched.hasErrors()) return undefined;
  let run: ((run: MappingRun) => Value) | undefined;
  return (fields) => {
    // The emitter was asked for a function of this shape.
    run ??= evaluateCode(
      emitMapping(planMapping(checked), "template", { entry: "run" }),
      "template",
    ) as typeof run;
    const { Message } = loadRuntime("runtime/message/message.ts");
    const { MappingRun } = loadRuntime("runtime/mapping/run.ts");
    const { languageFailure } = loadRuntime("runtime/mapping/failures.ts");
    const { isObject } = loadRuntime("runtime/message/value.ts");
    const { printJson } = loadRuntime("runtime/message/json.ts");
    try {
      const made = run?.(new MappingRun([Message.fromText(JSON.stringify(fields))], 0)) ?? null;
      if (!isObject(made)) return { reason: "it makes no object" };
      return { json: printJson(made) };
    } catch (error) {
      const failure = languageFailure(error);
      if (failure === undefined) throw error;
      return { reason: failure.message };
    }
  };
}
