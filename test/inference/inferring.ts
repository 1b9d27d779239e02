import { type InferredMapping, inferMapping } from "../../compiler/check/inference/infer-mapping.ts";
import { checkMapping } from "../../compiler/check/mapping/check.ts";
import type { MappingScope } from "../../compiler/check/mapping/checked.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { evaluator } from "../../compiler/evaluate/evaluate-method.ts";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import type { MessageType } from "../../compiler/value-types/type.ts";

/** A mapping inferred, and what only its types show; `undefined` for what is refused before. */
export interface Inferring {
  readonly inferred: InferredMapping;
  readonly findings: readonly Diagnostic[];
}

/** Infers a mapping whose messages have a given type. */
export function inferText(
  source: string,
  message: MessageType,
  { mode = "mapping", ...scope }: MappingScope & { readonly mode?: "mapping" | "mutation" } = {},
): Inferring | undefined {
  const before = createSink();
  const mapping = parseMapping(createSourceFile("mapping.blobl", source), before.report);
  if (mapping === undefined) return undefined;
  const checked = checkMapping(mapping, { evaluate: evaluator, ...scope }, before.report);
  if (before.hasErrors()) return undefined;
  const sink = createSink();
  const inferred = inferMapping(checked, message, mode, sink.report);
  return { inferred, findings: sink.diagnostics() };
}
