import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { cases } from "../harness/cases.ts";

// Sets that name packages, and what the compiler says of them, as whole texts. Everything is read from memory.

cases("test/packages/cases", async ({ path, expectFile }) => {
  const folder = path(".");
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "diagnostics.txt")
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
  // Git leaves `node_modules` out, wherever they lie.
  const placeOf = (name: string) => name.replace(/^installed\//, "node_modules/");
  const files = Object.fromEntries(
    names.map((name) => [placeOf(name), readFileSync(join(folder, name), "utf8")]),
  );
  const { diagnostics } = await checkDocuments(["gateway.yaml"], {
    fileSystem: createMemoryFileSystem(files),
  });
  expectFile("diagnostics.txt", renderPretty(diagnostics, { color: false }));
});
