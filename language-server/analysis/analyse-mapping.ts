// Checks a `.blobl` file that no document imports, as `sluice blobl` checks it; nothing is known about its messages.

import { inferMapping } from "../../compiler/check/inference/infer-mapping.ts";
import { checkMapping } from "../../compiler/check/mapping/check.ts";
import type { MappingScope } from "../../compiler/check/mapping/checked.ts";
import { applyLevels } from "../../compiler/diagnostics/levels.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { evaluator } from "../../compiler/evaluate/evaluate-method.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import { maximumBytes } from "../../compiler/parse/document/limits.ts";
import { readSourceFile } from "../../compiler/parse/document/read-file.ts";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { readImports } from "../../compiler/parse/mapping-files.ts";
import { readSuppressions } from "../../compiler/parse/suppressions/read-suppressions.ts";
import { anyMessage } from "../../compiler/value-types/type.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { Analysis } from "./analysis.ts";

/** Whether a file contains a mapping, according to its name. */
export function isMappingName(path: string): boolean {
  return /\.(?:blobl|bloblang)$/i.test(path);
}

/** Checks the mapping in the file at `path`. */
export async function analyseMapping(path: string, fileSystem: FileSystem): Promise<Analysis> {
  const sink = createSink();
  const reading = { fileSystem, limit: maximumBytes };
  const file = await readSourceFile(path, { ...reading, report: sink.report });
  const mapping = file && parseMapping(file, sink.report);
  const files = new Map(file && [[absolutePath(path), file]]);
  if (mapping === undefined) return { ...applyLevels(sink.reported(), new Map(), []), scripts: [], files };
  const field = { kind: "Mapping", mapping, startsFrom: "nothing", span: mapping.span } as const;
  const imports = await readImports([field], reading, sink.report);
  const scope: MappingScope = { load: imports.find, evaluate: evaluator };
  const checked = checkMapping(mapping, scope, sink.report);
  const suppressions = readSuppressions({ documents: [], mappings: [mapping.source] }, sink.report);
  // Infers types for hovers only: a diagnostic that depends on types may not apply where the file is imported.
  const { types, failures, message } = inferMapping(checked, anyMessage, "mapping", () => {});
  const script = { field, message: anyMessage, origin: anyMessage, scope, types, failures, result: message };
  for (const each of imports.mappings) files.set(absolutePath(each.source.file.path), each.source.file);
  return { ...applyLevels(sink.reported(), new Map(), suppressions), scripts: [script], files };
}
