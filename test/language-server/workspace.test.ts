import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { TextDocument } from "vscode-languageserver-textdocument";
import { createOpenTexts } from "../../language-server/workspace/texts.ts";
import { createWorkspace } from "../../language-server/workspace/workspace.ts";
import { temporaryDirectory } from "../harness/directories.ts";

test("a request right after opening a document waits for the set that contains it", async () => {
  const folder = join(temporaryDirectory("workspace"), "deep/deeper");
  mkdirSync(folder, { recursive: true });
  const [settings, path] = [join(folder, "gateway.yaml"), join(folder, "orders.yaml")];
  writeFileSync(settings, "apis: [orders.yaml]\n");
  const text =
    "input: { stdin: {} }\npipeline: { processors: [{ mapping: root = this }] }\noutput: { drop: {} }\n";
  const texts = createOpenTexts();
  const failures: unknown[] = [];
  const workspace = createWorkspace(texts, {
    checked: () => undefined,
    failed: (error) => failures.push(error),
  });
  // The set is checked before the document exists.
  workspace.changed(settings);
  await workspace.settled();

  texts.open(TextDocument.create(pathToFileURL(path).href, "yaml", 1, text));
  const opened = workspace.opened(path);
  const analysis = await workspace.analysisOf(path);
  assert.is(analysis?.scripts.length, 1);
  await opened;
  workspace.stop();
  assert.equal(failures, []);
});

test("a document that is opened during a check of its set is read by that check", async () => {
  const folder = temporaryDirectory("workspace");
  const [settings, path] = [join(folder, "gateway.yaml"), join(folder, "orders.yaml")];
  writeFileSync(settings, "apis: [orders.yaml]\n");
  const text =
    "input: { stdin: {} }\npipeline: { processors: [{ mapping: root = this }] }\noutput: { drop: {} }\n";
  const texts = createOpenTexts();
  const workspace = createWorkspace(texts, { checked: () => undefined, failed: assert.unreachable });
  workspace.changed(settings);
  // The check has begun, and waits for the text of the settings.
  while (workspace.units()[0]?.reading.size === 0) await new Promise((resolve) => setTimeout(resolve));
  texts.open(TextDocument.create(pathToFileURL(path).href, "yaml", 1, text));
  workspace.changed(path);
  assert.is((await workspace.analysisOf(path))?.scripts.length, 1);
  workspace.stop();
});

test("settled() waits for the search for sets around an opened document", async () => {
  const path = join(temporaryDirectory("settling"), "stream.yaml");
  const texts = createOpenTexts();
  const workspace = createWorkspace(texts, { checked: () => undefined, failed: assert.unreachable });
  texts.open(
    TextDocument.create(pathToFileURL(path).href, "yaml", 1, "input: { stdin: {} }\noutput: { drop: {} }\n"),
  );
  const opened = workspace.opened(path);
  await workspace.settled();
  assert.equal(
    workspace.units().map((unit) => [unit.path, unit.isStale]),
    [[path, false]],
  );
  await opened;
  workspace.stop();
});

test("settled() waits for the search for sets in a folder", async () => {
  const folder = temporaryDirectory("searching");
  const settings = join(folder, "gateway.yaml");
  writeFileSync(settings, "apis: []\n");
  const workspace = createWorkspace(createOpenTexts(), {
    checked: () => undefined,
    failed: assert.unreachable,
  });
  const searched = workspace.addFolders([folder]);
  await workspace.settled();
  assert.equal(
    workspace.units().map((unit) => [unit.path, unit.isStale]),
    [[settings, false]],
  );
  await searched;
  // A folder that was removed in the meantime has no sets any more.
  workspace.removeFolders([folder]);
  const again = workspace.addFolders([folder]);
  workspace.removeFolders([folder]);
  await again;
  assert.equal(workspace.units(), []);
  workspace.stop();
});

test.run();
