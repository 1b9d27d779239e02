import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { findEmacs } from "../harness/editors.ts";
import { run } from "../harness/processes.ts";
import { editedStream } from "./edited-stream.ts";

// Emacs 28 or newer with Eglot and yaml-mode (Debian packages emacs-nox, elpa-eglot, elpa-yaml-mode), by the configuration that
// editor/README.md gives.

test("Emacs shows diagnostics, completes, hovers, renames, goes to definitions and formats", async () => {
  const folder = temporaryDirectory("emacs");
  const [file, mapping, answer] = ["stream.yaml", "map.blobl", "result.json"].map((name) =>
    join(folder, name),
  );
  const [bin, configuration] = [join(folder, "bin"), join(folder, "configuration.el")];
  writeFileSync(String(file), editedStream);
  writeFileSync(String(mapping), "root = this.a.uper()\n");
  const readme = readFileSync(join(projectRoot, "editor/README.md"), "utf8");
  writeFileSync(configuration, /```elisp\n([\s\S]*?)```/.exec(readme)?.[1] ?? "");
  mkdirSync(bin);
  const command = [process.execPath, join(projectRoot, "bin/sluice.js")].map((part) => `'${part}'`).join(" ");
  writeFileSync(join(bin, "sluice"), `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(join(bin, "sluice"), 0o755);
  const outcome = await run(
    findEmacs(),
    ["--batch", "-q", "-l", join(projectRoot, "test/language-server/emacs.el")],
    {
      cwd: folder,
      env: {
        ...{
          SLUICE_CONFIGURATION: configuration,
          SLUICE_FILE: String(file),
          SLUICE_MAPPING: String(mapping),
        },
        ...{ SLUICE_RESULT: String(answer), HOME: folder, PATH: `${bin}:${process.env.PATH}` },
      },
    },
  );
  assert.is(outcome.status, 0, outcome.stderr);
  const result = JSON.parse(readFileSync(String(answer), "utf8"));
  assert.match(result.diagnostics[0], "uper");
  assert.match(result.hover, "$name: string");
  assert.match(result.renamed, 'let other = "😀 one".uppercase()');
  assert.match(result.renamed, "$other.uppercase()");
  assert.ok(result.completion.includes("uppercase"), result.completion.join());
  assert.is(result.definition, 6);
  assert.match(result.formatted, "        root.name = $other.uppercase()");
  assert.is(result.mode, "blobl-mode");
  assert.match(result.mapping[0], "uper");
});

test.run();
