import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { Diagnostic } from "vscode-languageserver-protocol";
import { describeDiagnostics } from "../../compiler/diagnostics/render/json.ts";
import { check } from "../../compiler/index.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { projectRoot } from "../harness/directories.ts";
import { editorSuite } from "./client.ts";
import { streamWith as stream } from "./edited-stream.ts";

const tests = editorSuite("diagnostics in editors", { "other/readme.yaml": "a: 1\n" });

/** What both sides say, without the ways in which each says it. */
interface Told {
  readonly code: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
}

function ofEditor(found: readonly Diagnostic[], text: string): readonly Told[] {
  const lines = text.split("\n");
  const column = (line: number, character: number) => [...(lines[line] ?? "").slice(0, character)].length + 1;
  return found.map(({ code, range: { start, end }, message }) => ({
    code: String(code),
    line: start.line + 1,
    column: column(start.line, start.character),
    endLine: end.line + 1,
    endColumn: column(end.line, end.character),
    message: String(message),
  }));
}

async function ofCheck(name: string, text: string): Promise<readonly Told[]> {
  const { diagnostics } = await check([name], { fileSystem: createMemoryFileSystem({ [name]: text }) });
  return describeDiagnostics(diagnostics).map(
    ({ code, line, column, endLine, endColumn, message, hint }) => ({
      ...{ code, line, column, endLine, endColumn },
      message: hint === undefined ? message : `${message}\n${hint}`,
    }),
  );
}

tests(
  "a document that is emptied, or becomes one of another program, has no diagnostics",
  async ({ editor }) => {
    for (const rest of ["", "kind: Pod\n"]) {
      await editor.open("emptied.yaml", "input: { stdinn: {} }\noutput: { drop: {} }\n");
      assert.is((await editor.diagnose("emptied.yaml"))[0]?.code, "GW4001");
      await editor.open("emptied.yaml", rest);
      assert.equal(await editor.diagnose("emptied.yaml"), []);
    }
    await editor.close("emptied.yaml");
  },
);

tests("an unsaved text has the diagnostics of `sluice check`", async ({ editor }) => {
  const files = globSync("test/check/*/{api,stream}.{yaml,json}", { cwd: projectRoot }).sort();
  assert.ok(files.length > 100);
  // Every seventh: the whole of them takes minutes on a busy machine.
  for (const file of files.filter((_, index) => index % 7 === 0)) {
    const text = readFileSync(join(projectRoot, file), "utf8");
    if (/\$ref: *["']?[^#"'\s]|from "|import "|\.json"|^apis:/m.test(text)) continue;
    const name = file.replaceAll("/", "-");
    const expected = await ofCheck(name, text);
    await editor.open(name, text);
    const found = expected.some(({ code }) => code === "GW1040")
      ? expected
      : ofEditor(await editor.diagnose(name), text);
    assert.equal(found, expected, file);
    await editor.close(name);
  }
});

tests("places count UTF-16 units, behind emoji and with CRLF", async ({ editor }) => {
  const text = stream('root.a = "😀😀" + this.b.upercase()').replaceAll("\n", "\r\n");
  await editor.open("emoji.yaml", text);
  const [found] = await editor.diagnose("emoji.yaml");
  assert.is(found?.code, "GW3004");
  const line = text.split("\r\n")[5] ?? "";
  assert.equal(found?.range, {
    start: { line: 5, character: line.indexOf("upercase") },
    end: { line: 5, character: line.indexOf("upercase") + 8 },
  });
  assert.match(found?.codeDescription?.href ?? "", /GW3004\.md$/);
  await editor.close("emoji.yaml");
});

tests("typing changes what is wrong, in JSON as in YAML", async ({ editor }) => {
  const document = {
    input: { generate: { mapping: "root.id = 1", count: 1 } },
    output: { drop: {} },
  };
  const text = JSON.stringify(document, undefined, 2);
  await editor.open("stream.json", text);
  assert.equal(
    (await editor.diagnose("stream.json")).filter(({ severity }) => severity === 1),
    [],
  );
  const at = text.indexOf("root.id = 1");
  await editor.edit("stream.json", at, at + 11, "root.id = 1.uper()");
  const [found] = await editor.diagnose("stream.json");
  assert.is(found?.severity, 1);
  assert.is(found?.range.start.line, 3);
  await editor.edit("stream.json", at, at + 18, "root.id = 2");
  assert.equal(
    (await editor.diagnose("stream.json")).filter(({ severity }) => severity === 1),
    [],
  );
  await editor.close("stream.json");
  assert.equal(await editor.until("stream.json", (found) => found.length === 0), []);
});

tests("a broken document keeps what is wrong in the part that was not touched", async ({ editor }) => {
  const text = stream("root.a = this.b.upercase()");
  await editor.open("broken.yaml", text);
  const before = await editor.diagnose("broken.yaml");
  const misspelt = before.find(({ code }) => code === "GW3004");
  assert.ok(misspelt);
  await editor.edit("broken.yaml", 0, 0, "a: [\nb: }\n");
  const after = await editor.diagnose("broken.yaml");
  const kept = after.find(({ code }) => code === "GW3004");
  assert.is(kept?.range.start.line, misspelt.range.start.line + 2);
  assert.ok(after.some(({ code }) => String(code).startsWith("GW10")));
  await editor.close("broken.yaml");
});

tests("a document in flow style is checked as one in block style", async ({ editor }) => {
  const flow = "# all in brackets\n---\n{ input: { kafak: {} },\n  'output': { drop: {} } }\n";
  await editor.open("flow.yaml", flow);
  const found = await editor.diagnose("flow.yaml");
  assert.ok(found.some(({ message }) => String(message).includes("Unknown input `kafak`")));
  await editor.close("flow.yaml");
});

tests("documents of other programs are left alone", async ({ editor }) => {
  await editor.open("compose.yaml", "services:\n  web:\n    image: nginx\n");
  await editor.open("after.yaml", stream("root = this"));
  await editor.diagnose("after.yaml");
  assert.is(editor.published("compose.yaml"), undefined);
  await editor.close("compose.yaml");
  await editor.close("after.yaml");
});

tests("a set is checked as a whole, open or not, and follows the disk", async ({ editor }) => {
  await editor.write({
    "set/gateway.yaml": "apis: [one.yaml, two.yaml]\n",
    "set/one.yaml": stream("root = this"),
    "set/two.yaml": stream("root = this.a.upercase()"),
  });
  await editor.until("set/two.yaml", (found) => found.some(({ code }) => code === "GW3004"));
  await editor.open("set/two.yaml", stream("root = this.a.uppercase()"));
  await editor.until("set/two.yaml", (found) => !found.some(({ code }) => code === "GW3004"));
  await editor.close("set/two.yaml");
  await editor.until("set/two.yaml", (found) => found.some(({ code }) => code === "GW3004"));
  await editor.write({ "set/two.yaml": stream('import "./maps.blobl"\n        root = this.apply("x")') });
  await editor.until("set/two.yaml", (found) => found.some(({ code }) => code === "GW3010"));
  await editor.write({ "set/maps.blobl": "map x { root = this.upercase() }\n" });
  await editor.until("set/maps.blobl", (found) => found.some(({ code }) => code === "GW3004"));
  await editor.open("set/maps.blobl", "map x { root = this.uppercase() }\n");
  assert.equal(await editor.diagnose("set/maps.blobl"), []);
  await editor.close("set/maps.blobl");
});

tests(
  "a set whose settings are deleted is none any more, and one without a document says so",
  async ({ editor }) => {
    const document = "input: { stdin: {} }\noutput: { drop: {} }\n";
    await editor.write({
      "gone/gateway.yaml": "apis: [a.yaml, in/b.yaml]\n",
      "gone/a.yaml": document,
      "gone/in/b.yaml": document,
    });
    await editor.until("gone/gateway.yaml", (found) => found.length === 0);
    await editor.remove("gone/in");
    await editor.until("gone/gateway.yaml", (found) => found.some(({ code }) => code === "GW1001"));
    await editor.remove("gone/gateway.yaml");
    await editor.until("gone/gateway.yaml", (found) => found.length === 0);
  },
);

tests("a mapping file of its own is checked as `sluice blobl` checks it", async ({ editor }) => {
  await editor.open("own.blobl", "root.a = this.b.upercase()\nroot.c = \n");
  const codes = (await editor.diagnose("own.blobl")).map(({ code }) => code);
  assert.ok(codes.includes("GW3004"), codes.join());
  assert.ok(
    codes.some((code) => String(code).startsWith("GW2")),
    codes.join(),
  );
  await editor.close("own.blobl");
});

tests.run();
