import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { extensionFiles } from "../../../scripts/extension-files.ts";
import { projectRoot, temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { createFakeEditor, type FakeEditor } from "./fake-vscode.ts";

const files = await extensionFiles();
const installed = temporaryDirectory("extension");
for (const [path, content] of files) {
  const target = join(installed, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}
const extensionPath = join(installed, "extension");
const bundle = readFileSync(join(extensionPath, "dist/extension.js"), "utf8");

const running = new Set<() => Promise<void>>();
// A server that a failed test does not stop would keep the process alive.
test.after.each(async () => {
  for (const stop of running) await stop();
});

/** Starts the extension in an editor: loaded like editors do, with the fake module as `vscode`. */
async function start(editor: FakeEditor) {
  const own = createRequire(join(extensionPath, "dist/extension.js"));
  const module: { exports: { activate(context: object): void; deactivate(): Promise<void> } } = {
    exports: { activate() {}, deactivate: async () => {} },
  };
  const load = (name: string) => (name === "vscode" ? editor.module : own(name));
  compileFunction(bundle, ["exports", "require", "module"])(module.exports, load, module);
  const kept = new Map<string, unknown>();
  const workspaceState = {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => kept.set(key, value),
  };
  module.exports.activate({ extensionPath, subscriptions: [], workspaceState });
  const stop = async () => {
    running.delete(stop);
    await module.exports.deactivate();
  };
  running.add(stop);
  return { stop };
}

/** The timeout for the server's process, which starts and checks while other suites run. */
const patiently = { timeout: 120_000 };

const stream = `input:
  generate: { mapping: "root.id = 1", count: 1 }
pipeline:
  processors:
    - label: shape
      mapping: |
        root.name = this.id.uper()
output:
  drop: {}
`;

test("a document gets diagnostics, completions and hovers from the server of the extension", async () => {
  const folder = temporaryDirectory("workspace");
  const editor = createFakeEditor(folder);
  const { stop } = await start(editor);
  editor.open("notes.yaml", "yaml", "shopping: [milk]\n");
  assert.is(editor.statusItems[0]?.text, "Sluice");
  const document = editor.open("stream.yaml", "yaml", stream);
  const found = () =>
    [...editor.diagnostics].flatMap(([uri, each]) =>
      each.map(({ message }) => `${uri.split("/").at(-1)} ${message}`),
    );
  await until(() => found().length > 0, patiently);
  assert.match(found().join(), /stream\.yaml.*uper/);
  const status = editor.statusItems[0];
  assert.match(status?.tooltip ?? "", /running: sluice .*, of the extension/);
  assert.ok(status?.isShown);

  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  const ask = async (registration: string, method: string, offset: number, ...more: unknown[]) => {
    const [provider] = editor.providers.get(registration) ?? [];
    const place = (document.positionAt as (offset: number) => object)(offset);
    const provide = provider?.[method] as ((...args: unknown[]) => unknown) | undefined;
    const answer = await provide?.(document, place, ...more);
    return JSON.stringify(answer);
  };
  const invoked = [token, { triggerKind: 0 }];
  const completing = ["registerCompletionItemProvider", "provideCompletionItems"] as const;
  assert.match(await ask(...completing, stream.indexOf("uper") + 2, ...invoked), '"catch"');
  assert.match(
    await ask("registerHoverProvider", "provideHover", stream.indexOf("this.id") + 6, token),
    "id: 1",
  );

  editor.change("stream.yaml", stream.replace("this.id.uper()", "this.id"));
  await until(() => found().length === 0, patiently);
  await editor.commands.get("sluice.restart")?.();
  assert.match(status?.tooltip ?? "", /running/);
  await stop();
});

test("a server that stops responding is killed, and a new one starts", async () => {
  const stuck = join(temporaryDirectory("stuck"), "sluice");
  mkdirSync(stuck);
  writeFileSync(
    join(stuck, "package.json"),
    JSON.stringify({ name: "sluice", version: "1.0.0", bin: { sluice: "stuck.cjs" } }),
  );
  // It responds to the first message, `initialize`, with its process id.
  const answer = '{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}';
  writeFileSync(
    join(stuck, "stuck.cjs"),
    `require("node:fs").appendFileSync(${JSON.stringify(join(stuck, "pids"))}, process.pid + "\\n");
process.stdin.once("data", () => process.stdout.write(${JSON.stringify(`Content-Length: ${answer.length}\r\n\r\n${answer}`)}));
setInterval(() => {}, 1000);
`,
  );
  const editor = createFakeEditor(temporaryDirectory("stuck-workspace"), { "sluice.path": stuck });
  await start(editor);
  editor.open("stream.yaml", "yaml", stream);
  const [status] = editor.statusItems;
  await until(() => status?.tooltip?.includes("running"), patiently);
  await editor.commands.get("sluice.restart")?.();
  assert.match(status?.tooltip ?? "", /running/);
  assert.equal(editor.shown, []);
  const [first, second] = readFileSync(join(stuck, "pids"), "utf8").trim().split("\n").map(Number);
  const isAlive = (pid = 0) => existsSync(`/proc/${pid}`);
  await until(() => !isAlive(first), patiently);
  assert.ok(isAlive(second));
});

test("the sluice of a trusted project takes precedence over that of the extension", async () => {
  const folder = temporaryDirectory("project");
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(projectRoot, join(folder, "node_modules/sluice"));
  const taskOf = async (isTrusted: boolean) => {
    const editor = createFakeEditor(folder);
    editor.isTrusted = isTrusted;
    const { stop } = await start(editor);
    editor.open("notes.yaml", "yaml", "a: b\n");
    await editor.commands.get("sluice.check")?.();
    await editor.commands.get("sluice.run")?.();
    await stop();
    const tasks = editor.tasks.map(({ execution }) => (execution.args[1] as readonly string[]).slice(0, 2));
    return { tasks, shown: editor.shown.map(({ text }) => text) };
  };
  const script = join(folder, "node_modules/sluice/bin/sluice.js");
  assert.equal(await taskOf(true), {
    tasks: [
      [script, "check"],
      [script, "run"],
    ],
    shown: [],
  });
  // A code lens names its document, whatever document is open.
  const editor = createFakeEditor(folder);
  const { stop } = await start(editor);
  editor.open("notes.yaml", "yaml", "a: b\n");
  const tested = join(folder, "a_test.yaml");
  await editor.commands.get("sluice.test")?.(pathToFileURL(tested).href);
  await stop();
  const [task] = editor.tasks.map(({ execution }) => execution.args[1] as readonly string[]);
  assert.equal(task?.slice(1), ["test", tested]);
  const { tasks, shown } = await taskOf(false);
  assert.equal(tasks, [[join(extensionPath, "server/bin/sluice.js"), "check"]]);
  assert.match(shown.join(), "npm install --save-dev sluice");
});

test("a mapping can be tried on a message, from YAML and from its own file", async () => {
  const folder = temporaryDirectory("trial");
  const editor = createFakeEditor(folder);
  const { stop } = await start(editor);
  const text = stream.replace(".uper()", ".string()");
  const run = async (answer: string) => {
    editor.answers.push(answer);
    return editor.commands.get("sluice.tryMapping")?.();
  };
  writeFileSync(join(folder, "stream.yaml"), text);
  editor.open("stream.yaml", "yaml", text, text.indexOf("this.id"));
  assert.is(await run('{"id":9007199254740993}'), '{\n  "name": "9007199254740993"\n}\n');
  assert.match(String(await run("no json")), /line 1: .*invalid character/);
  editor.open("stream.yaml", "yaml", text, 0);
  assert.is(await editor.commands.get("sluice.tryMapping")?.(), undefined);
  editor.open("m.blobl", "blobl", "root = deleted()");
  assert.match(String(await run("{}")), "deleted the message");
  assert.match(editor.shown.map(({ kind }) => kind).join(), "information");
  await stop();
});

test("the topology is a page with links to lines, and names from documents are escaped", async () => {
  const folder = temporaryDirectory("topology");
  const editor = createFakeEditor(folder);
  const { stop } = await start(editor);
  const text = stream.replace("label: shape", "label: '<b>x'").replace(".uper()", "");
  writeFileSync(join(folder, "stream.yaml"), text);
  editor.open("stream.yaml", "yaml", text);
  await editor.commands.get("sluice.showTopology")?.();
  const [panel] = editor.panels;
  const html = panel?.webview.html ?? "";
  assert.match(html, /<svg .*data-line="6"/s);
  assert.match(html, "default-src 'none'");
  assert.not.match(html, "<b>");
  panel?.webview.send({ line: 6 });
  await until(() => editor.shown.some(({ text }) => text === "line 6"));
  await stop();
});

test("unit tests are listed and run, and failures are reported at their lines", async () => {
  const folder = temporaryDirectory("tests");
  const editor = createFakeEditor(folder);
  const cases = [
    ["good", 1],
    ["bad", 2],
  ].map(
    ([name, id]) => `  - name: ${name}
    target_processors: /pipeline/processors
    input_batch: [{ json_content: { id: 1 } }]
    output_batches: [[{ json_equals: { name: ${id} } }]]
`,
  );
  writeFileSync(join(folder, "stream.yaml"), stream.replace(".uper()", ""));
  writeFileSync(join(folder, "stream_test.yaml"), `tests:\n${cases.join("")}`);
  const { stop } = await start(editor);
  const [controller] = editor.controllers;
  await controller?.resolveHandler?.(undefined);
  const names: string[] = [];
  controller?.items.forEach((file) => {
    file.children.forEach(({ label }) => {
      names.push(`${file.label} ${label}`);
    });
  });
  assert.equal(names, ["stream_test.yaml good", "stream_test.yaml bad"]);
  const token = { isCancellationRequested: false, onCancellationRequested: () => {} };
  await controller?.profiles[0]?.run({}, token);
  const [good, bad] = controller?.outcomes ?? [];
  assert.equal([good?.state, good?.name, bad?.state, bad?.name], ["passed", "good", "failed", "bad"]);
  assert.match(bad?.text ?? "", /name/);
  await stop();
});

test("the package contains the files that the manifest names, and each command is registered", async () => {
  const manifest = JSON.parse(Buffer.from(files.get("extension/package.json") ?? "").toString());
  const { languages, grammars, snippets, commands } = manifest.contributes;
  const named: string[] = [manifest.main, ...grammars, ...snippets, ...languages].map((each) =>
    typeof each === "string" ? each : (each.path ?? each.configuration),
  );
  for (const path of named) assert.ok(files.has(join("extension", path)), path);
  const editor = createFakeEditor(temporaryDirectory("commands"));
  await (await start(editor)).stop();
  assert.equal(
    commands.map(({ command }: { command: string }) => command).sort(),
    [...editor.commands.keys()].filter((name) => name.startsWith("sluice.")).sort(),
  );
  for (const path of files.keys()) assert.not.match(path, /\.(map|ts|node)$|node_modules/);
  const size = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  assert.ok(size < 16_000_000, `${size} bytes`);
});

test.run();
