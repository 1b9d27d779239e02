import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { CodeAction, Diagnostic } from "vscode-languageserver-protocol";
import { describeDiagnostics } from "../../compiler/diagnostics/render/json.ts";
import { check } from "../../compiler/index.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { projectRoot } from "../harness/directories.ts";
import { applied, editorSuite, editsOf } from "./client.ts";

const tests = editorSuite("diagnostics in editors", { "other/readme.yaml": "a: 1\n" });

const stream = (mapping: string, more = "") => `input:
  http_server: { path: /in }
pipeline:
  processors:
    - mapping: |
        ${mapping}
${more}output:
  http_server: { stream_path: /out }
`;

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

tests("a suppression in JSON stands beside a text that has brackets", async ({ editor }) => {
  const topic = 'orders-${! meta("kind") }';
  const text = JSON.stringify({
    input: { generate: { mapping: 'root = {"a": "{"}\nmeta kind = "a"', interval: "1s" } },
    output: { kafka: { addresses: ["a:1"], topic } },
  });
  await editor.open("brackets.json", text);
  const [deprecated] = await editor.diagnose("brackets.json");
  assert.is(deprecated?.code, "GW3130");
  const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", "brackets.json", undefined, {
    range: deprecated?.range,
    context: { diagnostics: [] },
  });
  const suppression = actions.find(({ title }) => title.startsWith("Suppress"));
  await editor.open("brackets.json", applied(text, editsOf(suppression?.edit, editor.uri("brackets.json"))));
  assert.equal(await editor.diagnose("brackets.json"), []);
  await editor.close("brackets.json");
});

tests("fixes and suppressions are offered where something is wrong", async ({ editor }) => {
  const text = stream("let unused = 1\n        root.a = this.b.upercase()");
  await editor.open("fix.yaml", text);
  const found = await editor.diagnose("fix.yaml");
  const misspelt = found.find(({ code }) => code === "GW3004");
  const context = { diagnostics: [] };
  const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", "fix.yaml", undefined, {
    range: misspelt?.range,
    context,
  });
  const fix = actions.find(({ title }) => title.includes("uppercase"));
  assert.ok(fix, JSON.stringify(actions));
  assert.is(applied(text, editsOf(fix.edit, editor.uri("fix.yaml"))), text.replace("upercase", "uppercase"));
  const unused = found.find(({ tags }) => tags?.includes(1));
  assert.ok(unused, JSON.stringify(found));
  const [suppression] = await editor.ask<CodeAction[]>("textDocument/codeAction", "fix.yaml", undefined, {
    range: unused.range,
    context: { ...context, only: ["quickfix"] },
  });
  const after = applied(text, editsOf(suppression?.edit, editor.uri("fix.yaml")));
  await editor.open("fix.yaml", after);
  const left = await editor.diagnose("fix.yaml");
  assert.not(
    left.some(({ code }) => code === unused.code || code === "GW4114"),
    JSON.stringify(left),
  );
  const [all] = await editor.ask<CodeAction[]>("textDocument/codeAction", "fix.yaml", undefined, {
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
    context: { ...context, only: ["source.fixAll"] },
  });
  await editor.open("fix.yaml", applied(after, editsOf(all?.edit, editor.uri("fix.yaml"))));
  assert.not((await editor.diagnose("fix.yaml")).some(({ code }) => code === "GW3004"));
  await editor.close("fix.yaml");
});

tests("an assignment in place of a comparison becomes one", async ({ editor }) => {
  const text = stream(
    "root.a = if this.b = 1 { 2 }",
    "    - switch: [{ check: 'this.b = 1', processors: [] }]\n",
  );
  await editor.open("compared.yaml", text);
  const found = (await editor.diagnose("compared.yaml")).filter(({ severity }) => severity === 1);
  assert.is(found.length, 2);
  for (const { range } of found) {
    const [fix] = await editor.ask<CodeAction[]>("textDocument/codeAction", "compared.yaml", undefined, {
      range,
      context: { diagnostics: [] },
    });
    const [edit] = editsOf(fix?.edit, editor.uri("compared.yaml"));
    assert.equal(edit, { range, newText: "==" });
  }
  await editor.close("compared.yaml");
});

tests("signs of other languages become those of mappings, in blocks as in quotes", async ({ editor }) => {
  for (const [wrong, right] of [
    ["root.a = this.b and this.c", "root.a = this.b && this.c"],
    ["root.a = this.b ?? 1", "root.a = this.b | 1"],
    ["root.a = 1;", "root.a = 1"],
    ["root.a = this.b.map_each(x => x.c)", "root.a = this.b.map_each(x -> x.c)"],
    ["root.a = this.b.map_each(x=>x.c)", "root.a = this.b.map_each(x -> x.c)"],
    ["// c", "# c"],
  ] as const) {
    const flow = (script: string) =>
      `pipeline: { processors: [{ mapping: ${JSON.stringify(`root = this\n${script}`)} }] }\n`;
    for (const [name, write] of [
      ["signs.yaml", (script: string) => stream(`root = this\n        ${script}`)],
      ["quoted.yaml", flow],
    ] as const) {
      await editor.open(name, write(wrong));
      const found = (await editor.diagnose(name)).find(({ code }) => code === "GW2026");
      const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", name, undefined, {
        range: found?.range,
        context: { diagnostics: [] },
      });
      const fix = actions.find(({ title }) => !title.startsWith("Suppress"));
      assert.is(applied(write(wrong), editsOf(fix?.edit, editor.uri(name))), write(right));
    }
  }
});

tests("names with letters that need quotes get them, in the quotes of their document", async ({ editor }) => {
  const script = 'root.größe = this.ä😀 + "a"\nlet ü = 1\nroot.b = $ü';
  const block = stream(script.replaceAll("\n", "\n        "));
  const json = JSON.stringify({
    input: { generate: { mapping: "root = {}" } },
    pipeline: { processors: [{ mapping: script }] },
    output: { drop: {} },
  });
  for (const [name, text] of [
    ["letters.yaml", block],
    ["letters.json", json],
  ] as const) {
    await editor.open(name, text);
    for (let count = 0; count < 4; count++) {
      const wrong = (await editor.diagnose(name)).find(({ code }) => code === "GW2026");
      assert.ok(wrong, `${name} ${count}`);
      const [fix] = await editor.ask<CodeAction[]>("textDocument/codeAction", name, undefined, {
        range: wrong.range,
        context: { diagnostics: [wrong] },
      });
      await editor.open(name, applied(editor.textOf(name), editsOf(fix?.edit, editor.uri(name))));
    }
    const left = await editor.diagnose(name);
    assert.equal(
      left.filter(({ severity }) => severity === 1),
      [],
      name,
    );
    await editor.close(name);
  }
});

tests(
  "a value of a wrong type, a misspelt reference and a media type are corrected by what the hint says",
  async ({ editor }) => {
    const api = (
      name: string,
      limits: string,
      media = "application/json",
      target = "Order",
    ) => `openapi: 3.1.0
info: { title: ${name}, version: "1.0" }
paths:
  /new:
    post:
      requestBody: { content: { ${media}: { schema: { $ref: "#/components/schemas/${target}" } } } }
      responses: { "200": { description: Taken } }
components: { schemas: { Order: { type: object } } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new, timeout: ${limits} } }
      output: { drop: {} }
`;
    const corrected = async (name: string, text: string, code: string) => {
      await editor.open(name, text);
      const found = (await editor.diagnose(name)).find((each) => each.code === code);
      const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", name, undefined, {
        range: found?.range,
        context: { diagnostics: [] },
      });
      const fix = actions.find(({ title }) => title.startsWith("Write"));
      await editor.close(name);
      return fix?.edit && [applied(text, editsOf(fix.edit, editor.uri(name))), fix.isPreferred];
    };
    const right = api("Orders", "5s");
    assert.equal(await corrected("a.yaml", api("Orders", "5"), "GW4012"), [right, false]);
    assert.equal(await corrected("b.yaml", api("Orders", "5s", "application/jsn"), "GW4096"), [right, false]);
    assert.equal(await corrected("c.yaml", api("Orders", "5s", "application/json", "Ordre"), "GW1030"), [
      right,
      false,
    ]);
    assert.equal(await corrected("d.yaml", api("1.10", "5s"), "GW1045"), [api('"1.10"', "5s"), false]);
    const stream = (fields: string) =>
      `{ "input": { "stdin": {} }, "output": { "kafka": { ${fields}, "topic": "t" } } }`;
    const kafka = (written: string) => stream(`"addresses": ${written}`);
    assert.equal(await corrected("e.json", kafka('"a:1"'), "GW4012"), [kafka('["a:1"]'), false]);
    const waits = (written: string) => stream(`"addresses": ["a:1"], "timeout": ${written}`);
    assert.equal(await corrected("f.json", waits("5000"), "GW4012"), [waits('"5000ms"'), false]);
    const policy = (per: string) =>
      `apis: [api.yaml]\npolicies:\n  - { id: gold, rate: 5, per: ${per}, access_rights: {} }\n`;
    await editor.write({ "limits/api.yaml": right, "limits/gateway.yaml": policy("60") });
    assert.equal(await corrected("limits/gateway.yaml", policy("60s"), "GW4012"), [policy("60"), false]);
    await editor.remove("limits");
  },
);

tests(
  "a suppression in JSON goes to those that are there; suppressions themselves get none",
  async ({ editor }) => {
    const text = `{
  "openapi": "3.1.1",
  "info": { "title": "Orders", "version": "1" },
  "paths": {},
  "x-gw-ignore": ["GW1040"],
  "x-tyk-streaming": { "streams": {} }
}
`;
    await editor.open("ignored.json", text);
    const found = await editor.diagnose("ignored.json");
    const suppressionsOf = async (code: string) => {
      const range = found.find((each) => each.code === code)?.range;
      assert.ok(range, JSON.stringify(found));
      const context = { diagnostics: [], only: ["quickfix"] };
      const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", "ignored.json", undefined, {
        range,
        context,
      });
      return actions.filter(({ title }) => title.startsWith(`Suppress ${code}`));
    };
    assert.equal(await suppressionsOf("GW4115"), []);
    const [suppression] = await suppressionsOf("GW1047");
    await editor.open("ignored.json", applied(text, editsOf(suppression?.edit, editor.uri("ignored.json"))));
    const codes = (await editor.diagnose("ignored.json")).map(({ code }) => code);
    assert.equal(codes, ["GW4115"]);
    await editor.close("ignored.json");
  },
);

tests.run();
