import { checkDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { cases } from "../harness/cases.ts";

cases("test/check", async ({ files, read, expectFile }) => {
  const documents = files.filter((file) => file !== "diagnostics.txt");
  const fileSystem = createMemoryFileSystem(Object.fromEntries(documents.map((file) => [file, read(file)])));
  const isEntry = (start: string) => (file: string) => file.startsWith(start);
  const entry = documents.find(isEntry("gateway.")) ?? documents.find(isEntry("api.")) ?? "api.yaml";
  const { diagnostics } = await checkDocuments([entry], { fileSystem });
  expectFile("diagnostics.txt", renderPretty(diagnostics, { color: false }));
});
