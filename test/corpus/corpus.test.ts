import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { checkDocuments, compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { cases } from "../harness/cases.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { entryOf } from "./entry.ts";

/** Linking takes a while, so that only these are built: between them they use most of the language. */
const built: ReadonlySet<string> = new Set([
  "formats-in-and-out",
  "logistics-set",
  "names-of-all-kinds",
  "orders-intake",
  "rules-in-files",
  "statements-with-branches",
  "texts-in-every-field",
]);

/**
 * Each folder is a whole, correct document or set. Nothing is wrong with it, and of what is merely worth
 * knowing nothing but what its `notes.txt` says.
 */
cases("test/corpus", async ({ name, files, path, expectFile }) => {
  const entry = path(entryOf(files));
  const { diagnostics } = await checkDocuments([entry]);
  const text = renderPretty(diagnostics, { color: false });
  const wrong = diagnostics.filter(({ severity }) => severity !== "info");
  assert.is(wrong.length, 0, `${name} is correct, yet:\n${text}`);
  const shown = text.replaceAll(/(?<=┌ )\S*\/(?=\S+:\d+:\d+$)/gm, "");
  if (diagnostics.length > 0 || existsSync(path("notes.txt"))) expectFile("notes.txt", shown);
  if (built.has(name)) await holdBuild(entry);
});

/** The gateway of a correct document is one that Node reads. */
async function holdBuild(entry: string): Promise<void> {
  const { files } = await compileDocuments([entry], { packageRoot: projectRoot });
  const program = files?.get("gateway.mjs");
  assert.ok(program !== undefined && program.length > 1000);
  const file = join(temporaryDirectory(), "gateway.mjs");
  writeFileSync(file, program);
  execFileSync(process.execPath, ["--check", file]);
}
