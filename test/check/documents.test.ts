import { checkSet } from "../../compiler/check/document/check-set.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { readApiSet } from "../../compiler/parse/document/read-api-set.ts";
import { cases } from "../harness/cases.ts";

cases("test/check", async ({ files, read, expectFile }) => {
  const documents = files.filter((file) => file !== "diagnostics.txt");
  const fileSystem = createMemoryFileSystem(Object.fromEntries(documents.map((file) => [file, read(file)])));
  const entry = documents.includes("gateway.yaml") ? "gateway.yaml" : "api.yaml";
  const sink = createSink();
  const set = await readApiSet([entry], { fileSystem }, sink.report);
  if (set !== undefined) checkSet(set, sink.report);
  expectFile("diagnostics.txt", renderPretty(sink.diagnostics(), { color: false }));
});
