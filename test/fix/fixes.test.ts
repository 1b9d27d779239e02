import { fixDocuments } from "../../compiler/cli/fix-documents.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { cases } from "../harness/cases.ts";

// Each `before.*` is a document; the YAML or JSON one is checked. What is left unfixed is in diagnostics.txt.
cases("test/fix", async ({ files, read, expectFile }) => {
  const documents = files.filter((file) => file.startsWith("before."));
  const fileSystem = createMemoryFileSystem(Object.fromEntries(documents.map((file) => [file, read(file)])));
  const entry = documents.find((file) => /\.(?:yaml|json)$/.test(file)) ?? "before.yaml";
  const { result, changed, fixed } = await fixDocuments([entry], fileSystem);
  for (const file of documents) {
    const after = changed.find(({ path }) => path === file)?.after ?? read(file);
    expectFile(file.replace("before.", "after."), after);
  }
  const left = renderPretty(result.diagnostics, { color: false });
  expectFile("diagnostics.txt", `${fixed} fixed\n${left === "" ? "" : `\n${left}`}`);
});
