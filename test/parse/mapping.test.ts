import { createSink } from "../../compiler/diagnostics/sink.ts";
import {
  findImportedMappingError,
  findMappingError,
  findQueryError,
  findTemplateError,
  parseImportedMapping,
  parseMapping,
  parseQuery,
  parseTemplate,
} from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile, locate } from "../../compiler/source/source.ts";
import type { Expression, Mapping, Template } from "../../compiler/trees/mapping.ts";
import { cases } from "../harness/cases.ts";
import { describeTree } from "./mapping/trees.ts";

/** The front ends by the file of a case. */
const frontEnds = {
  "input.blobl": { parse: parseMapping, findError: findMappingError },
  "imported.blobl": { parse: parseImportedMapping, findError: findImportedMappingError },
  "query.blobl": { parse: parseQuery, findError: findQueryError },
  "template.txt": { parse: parseTemplate, findError: findTemplateError },
} as const;

cases("test/parse/mapping", ({ files, read, expectFile }) => {
  for (const [file, { parse, findError }] of Object.entries(frontEnds)) {
    if (!files.includes(file)) continue;
    const source = createSourceFile(file, read(file));
    const sink = createSink();
    const tree: Mapping | Expression | Template | undefined = parse(source, sink.report);
    const diagnostics = sink.diagnostics().map(({ code, message, hint, span }) => {
      const { start, end } = locate(span);
      const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
      return `${place} ${code} ${message}\n  hint: ${hint ?? "none"}\n`;
    });
    if (diagnostics.length > 0) {
      const reference = `reference: ${findError(source)}\n`;
      const kept = tree?.kind === "Mapping" ? `kept: ${tree.statements.length} statements\n` : "";
      expectFile("diagnostics.txt", diagnostics.join("") + reference + kept);
    } else if (tree !== undefined) {
      expectFile("tree.json", describeTree(tree));
    }
  }
});
