// Compiles mappings like those of a gateway and loads them into this process.

import { checkMapping, checkQuery } from "../compiler/check/mapping/check.ts";
import { createSink } from "../compiler/diagnostics/sink.ts";
import type { Code } from "../compiler/emit/code.ts";
import { emitMapping, emitQuery } from "../compiler/emit/mapping/mapping.ts";
import { renderCode } from "../compiler/emit/render.ts";
import { evaluateCode } from "../compiler/evaluate/evaluate-code.ts";
import { parseMapping, parseQuery } from "../compiler/parse/mapping/parser.ts";
import { planMapping, planQuery } from "../compiler/plan/mapping/plan-mapping.ts";
import { createSourceFile } from "../compiler/source/source.ts";
import type { MappingFunction, QueryFunction } from "../runtime/processors/functions.ts";

/** Compiles a mapping to a function. */
export function compileMapping(source: string): MappingFunction {
  return evaluateCode(emitSource(source), "orderMapping") as MappingFunction;
}

/** Compiles the check of a `switch` case to a function. */
export function compileCheck(source: string): QueryFunction {
  const { report } = createSink();
  const query = parseQuery(createSourceFile("check.blobl", source), report);
  if (query === undefined) throw new Error(`does not parse: ${source}`);
  return evaluateCode(
    emitQuery(planQuery(checkQuery(query, {}, report)), "orderCheck"),
    "orderCheck",
  ) as QueryFunction;
}

/** Returns the declarations of a mapping as text; this includes all steps of compiling. */
export function emitText(source: string): string {
  return renderCode(emitSource(source));
}

function emitSource(source: string): Code {
  const sink = createSink();
  const mapping = parseMapping(createSourceFile("order.blobl", source), sink.report);
  if (mapping === undefined) throw new Error(`does not parse: ${source}`);
  const checked = checkMapping(mapping, {}, sink.report);
  if (sink.hasErrors())
    throw new Error(
      sink
        .diagnostics()
        .map(({ message }) => message)
        .join("\n"),
    );
  return emitMapping(planMapping(checked), "orderMapping");
}
