import { inferMapping } from "../../compiler/check/inference/infer-mapping.ts";
import { checkMapping } from "../../compiler/check/mapping/check.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { cases } from "../harness/cases.ts";
import { readMessage } from "./reading.ts";

/** What `types.txt` shows: what comes out, and each expression that can fail. */
cases("test/inference", async ({ name, files, read, expectFile }) => {
  const sink = createSink();
  const optional = (file: string) => (files.includes(file) ? read(file) : undefined);
  const message = await readMessage(optional("schema.json"), optional("metadata.json"));
  const mapping = parseMapping(createSourceFile("mapping.blobl", read("mapping.blobl")), sink.report);
  if (mapping === undefined) throw new Error("the mapping of the case is no mapping");
  const checked = checkMapping(mapping, {}, sink.report);
  const mode = name.includes("mutation") ? "mutation" : "mapping";
  const { root, message: result, failures } = inferMapping(checked, message, mode, sink.report);
  const metadata = { kind: "Object", fields: result.metadata.known, rest: undefined } as const;
  const lines = [
    `root: ${printType(root, { maximumLength: 400 })}`,
    `@: ${printType(metadata, { maximumLength: 400 })}${result.metadata.others ? " and others" : ""}`,
    ...failures.map(({ span, source, reason }) => {
      return `can fail: ${span.source.text.slice(span.start, span.end)} (${source}: ${reason})`;
    }),
  ];
  expectFile("types.txt", `${lines.join("\n")}\n`);
  expectFile("diagnostics.txt", renderPretty(sink.diagnostics(), { color: false }));
});
