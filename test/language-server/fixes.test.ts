import * as assert from "uvu/assert";
import type { CodeAction } from "vscode-languageserver-protocol";
import { applied, editorSuite, editsOf } from "./client.ts";
import { streamWith as stream } from "./edited-stream.ts";

const tests = editorSuite("fixes in editors");

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

tests("a misspelt field is replaced by the one that is known", async ({ editor }) => {
  const text = stream('root = {"quantity": 1}', "    - mapping: root.total = this.quantiy * 2\n");
  await editor.open("field.yaml", text);
  const found = (await editor.diagnose("field.yaml")).find(({ code }) => code === "GW3100");
  assert.ok(found);
  const [fix] = await editor.ask<CodeAction[]>("textDocument/codeAction", "field.yaml", undefined, {
    range: found.range,
    context: { diagnostics: [] },
  });
  const corrected = applied(text, editsOf(fix?.edit, editor.uri("field.yaml")));
  assert.is(corrected, text.replace("quantiy", "quantity"));
  await editor.close("field.yaml");
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
    ["root.a = this.b ?? this.c ?? 1", "root.a = this.b | this.c | 1"],
    ["root.a = this.b > 1 ? 2 : 3", "root.a = if this.b > 1 { 2 } else { 3 }"],
    [
      "root.a = [this.b ? this.c ? 1 : 2 : 3, 4]",
      "root.a = [if this.b { if this.c { 1 } else { 2 } } else { 3 }, 4]",
    ],
    ["root.a = if this.b then 1 else 2", "root.a = if this.b { 1 } else { 2 }"],
    ["root.a += this.c * 2", "root.a = root.a + (this.c * 2)"],
    ["root.a++", "root.a = root.a + 1"],
    ["root.a = `n ${this.b}%${this.c}`", 'root.a = "n %v%%%v".format(this.b, this.c)'],
    ["return this.b", "root = this.b"],
    ["root.a = 'x' + this.b + 'y'", 'root.a = "x" + this.b + "y"'],
    ["root.a = this.b in [1, 2]", "root.a = [1, 2].contains(this.b)"],
    ["root.a = typeof this.b", "root.a = this.b.type()"],
    ['root.a = match this.b { "1" -> 2, _ -> 3 }', 'root.a = match this.b { "1" => 2, _ => 3 }'],
    ["root.a = not this.b or this.and", "root.a = !this.b || this.and"],
    ["delete root.a", "root.a = deleted()"],
    ["/* c */", "# c"],
  ] as const) {
    const flow = (script: string) =>
      `pipeline: { processors: [{ mapping: ${JSON.stringify(`root = this\n${script}\n`)} }] }\n`;
    for (const [name, write] of [
      ["signs.yaml", (script: string) => stream(`root = this\n        ${script}`)],
      ["quoted.yaml", flow],
    ] as const) {
      await editor.open(name, write(wrong));
      const isSyntax = ({ code }: { readonly code?: unknown }) => /^GW2/.test(String(code));
      const found = (await editor.diagnose(name)).find(isSyntax);
      const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", name, undefined, {
        range: found?.range,
        context: { diagnostics: [] },
      });
      const fix = actions.find(({ title }) => !title.startsWith("Suppress"));
      const corrected = applied(write(wrong), editsOf(fix?.edit, editor.uri(name)));
      assert.is(corrected, write(right));
      await editor.open(name, corrected);
      assert.not((await editor.diagnose(name)).some(isSyntax), corrected);
    }
  }
});

tests("a mapping in one line that YAML does not read gets quotes", async ({ editor }) => {
  const text = (script: string) => `pipeline:\n  processors:\n    - mapping: ${script} \n`;
  for (const [written, right] of [
    [`root = {"a": this.b}`, `'root = {"a": this.b}'`],
    [`root = {"a": 'b'}`, `'root = {"a": ''b''}'`],
    ["http: { url: a }", undefined],
  ] as const) {
    await editor.open("line.yaml", text(written));
    const found = (await editor.diagnose("line.yaml")).find(({ code }) => code === "GW1010");
    assert.ok(found, written);
    const [fix] = await editor.ask<CodeAction[]>("textDocument/codeAction", "line.yaml", undefined, {
      range: found.range,
      context: { diagnostics: [] },
    });
    const edits = editsOf(fix?.edit, editor.uri("line.yaml"));
    assert.is(applied(text(written), edits), text(right ?? written));
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
