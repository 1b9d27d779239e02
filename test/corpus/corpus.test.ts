import { existsSync } from "node:fs";
import * as assert from "uvu/assert";
import { checkDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { cases } from "../harness/cases.ts";
import { entryOf } from "./entry.ts";

/**
 * Each folder is a whole, correct document or set. Nothing is wrong with it, and of what is merely worth
 * knowing nothing but what its `notes.txt` says.
 */
cases("test/corpus", async ({ name, files, path, expectFile }) => {
  const { diagnostics } = await checkDocuments([path(entryOf(files))]);
  const text = renderPretty(diagnostics, { color: false });
  const wrong = diagnostics.filter(({ severity }) => severity !== "info");
  assert.is(wrong.length, 0, `${name} is correct, yet:\n${text}`);
  const shown = text.replaceAll(path(""), "");
  if (diagnostics.length > 0 || existsSync(path("notes.txt"))) expectFile("notes.txt", shown);
});
