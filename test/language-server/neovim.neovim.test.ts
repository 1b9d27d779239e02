import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { findNeovim } from "../harness/editors.ts";
import { run } from "../harness/processes.ts";
import { editedStream } from "./edited-stream.ts";

test("Neovim shows diagnostics, completes, hovers, renames and formats", async () => {
  const folder = temporaryDirectory("neovim");
  const [file, answer] = [join(folder, "stream.yaml"), join(folder, "result.json")];
  writeFileSync(file, editedStream);
  const script = join(projectRoot, "test/language-server/neovim.lua");
  const command = [process.execPath, join(projectRoot, "bin/sluice.js"), "lsp"];
  const outcome = await run(findNeovim(), ["--headless", "-u", "NONE", "-i", "NONE", "-S", script], {
    cwd: folder,
    env: {
      ...{ SLUICE_COMMAND: JSON.stringify(command), SLUICE_FILE: file, SLUICE_RESULT: answer },
      XDG_STATE_HOME: folder,
      XDG_DATA_HOME: folder,
    },
  });
  assert.is(outcome.status, 0, outcome.stderr);
  const result = JSON.parse(readFileSync(answer, "utf8"));
  assert.ok(result.diagnostics.length >= 1, outcome.stderr);
  assert.is(result.diagnostics[0].line, 5);
  assert.match(result.diagnostics[0].message, "uper");
  assert.is(result.mended, true);
  assert.match(result.hover, "$name: string");
  assert.ok(result.completion.includes("uppercase"), result.completion.join());
  assert.match(result.renamed, 'let other = "😀 one".uppercase()');
  assert.match(result.renamed, "$other.uppercase()");
  assert.match(result.formatted, "        root.name = $other.uppercase()");
});

test.run();
