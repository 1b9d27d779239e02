// Emits each mapping below test/emit/mapping and compares the whole module; the modules are part of the
// project, so that `tsc` checks each of them with the strict rules.

import { checkMapping } from "../../compiler/check/mapping/check.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { type Code, linksOf } from "../../compiler/emit/code.ts";
import { emitMapping } from "../../compiler/emit/mapping/mapping.ts";
import { renderCode } from "../../compiler/emit/render.ts";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { planMapping } from "../../compiler/plan/mapping/plan-mapping.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { cases } from "../harness/cases.ts";

cases("test/emit/mapping", ({ read, expectFile, files }) => {
  const name = files.find((file) => file.endsWith(".blobl")) ?? "input.blobl";
  const sink = createSink();
  const mapping = parseMapping(createSourceFile(name, read(name)), sink.report);
  if (mapping === undefined) throw new Error(`${name} does not parse`);
  const checked = checkMapping(mapping, { allowed: new Set(["file", "file_rel"]) }, sink.report);
  if (sink.hasErrors())
    throw new Error(
      sink
        .diagnostics()
        .map((each) => each.message)
        .join("\n"),
    );
  const mode = name === "mutation.blobl" ? "mutation" : name === "result.blobl" ? "result" : "mapping";
  expectFile("function.ts", printModule(emitMapping(planMapping(checked, mode), "orderMapping")));
});

/** Returns the module in which a gateway would contain the function. */
function printModule(declarations: Code): string {
  const modules = new Map<string, string[]>();
  for (const { module, symbol, typeOnly } of linksOf(declarations)) {
    const key = `${typeOnly ? "import type" : "import"} {} from "sluice/${module}";`;
    modules.set(key, [...(modules.get(key) ?? []), symbol]);
  }
  const imports = [...modules]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([line, symbols]) => line.replace("{}", `{ ${symbols.sort().join(", ")} }`));
  return `${imports.join("\n")}\n\nexport { orderMapping };\n\n${renderCode(declarations)}\n`;
}
