import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith } from "./documents.ts";

const head = `openapi: 3.1.1
info: { title: Relay, version: "1" }
paths: {}
`;

const plain = `${head}x-gw-streaming: { streams: {} }\n`;

/** Returns a document with one stream, whose input begins in line 8. */
function stream(input: string, pipeline = ""): string {
  return `${head}x-gw-streaming:
  streams:
    relay:
      input:
${input}
${pipeline}      output:
        http_server: { path: /out }
`;
}

const intake = "        http_server: { path: /in }";

interface BadInput {
  /** The files of the folder; the test builds the first one. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** The expected diagnostics, in order: code, `file:line:column-endLine:endColumn`, hint. */
  readonly expected: readonly string[];
}

const inputs: Readonly<Record<string, BadInput>> = {
  "no OpenAPI document": {
    files: { "api.yaml": "name: Relay\n" },
    expected: [
      'GW1040 api.yaml:1:1-1:5 Add `openapi: "3.1.1"` at the top, or write a stream with `input` and `output`.',
    ],
  },
  "text instead of a document": {
    files: { "api.yaml": "just some text\n" },
    expected: ['GW1054 api.yaml:1:1-1:15 Start it with `openapi: "3.1.1"`.'],
  },
  "a reference to what is not there": {
    files: {
      "api.yaml": plain.replace(
        "{}",
        '{ /a: { get: { responses: { "200": { $ref: "#/components/responses/A" } } } } }',
      ),
    },
    expected: ["GW1030 api.yaml:3:52-3:76 Correct the reference, or add `components`."],
  },
  "a reference to a file that is not there": {
    files: { "api.yaml": plain.replace("{}", '{ /a: { $ref: "parts.yaml#/a" } }') },
    expected: ["GW1001 api.yaml:3:23-3:36 Correct the path, or create the file."],
  },
  "a reference into a file that lacks it": {
    files: {
      "api.yaml": plain.replace("{}", '{ /a: { $ref: "parts.yaml#/ordr" } }'),
      "parts.yaml": "order: {}\n",
    },
    expected: ["GW1030 api.yaml:3:23-3:39 Did you mean `order`?"],
  },
  "references in a circle": {
    files: {
      "api.yaml": `${head}x-gw-streaming:
  streams:
    a: { $ref: "#/x-gw-streaming/streams/b" }
    b: { $ref: "#/x-gw-streaming/streams/a" }
`,
    },
    expected: ["GW1032 api.yaml:6:17-6:43 Replace one reference of the cycle with the value itself."],
  },
  "a line indented more than the one above": {
    files: { "api.yaml": 'openapi: 3.0.3\ninfo:\n  title: Relay\n   version: "1"\npaths: {}\n' },
    expected: ["GW1010 api.yaml:4:4-4:11 Align it with the line above."],
  },
  "a list item among keys": {
    files: { "api.yaml": `${plain}x-gw-streaming:\n  streams:\n    a: {}\n  - b\n` },
    expected: ["GW1010 api.yaml:8:3-8:4 Remove the dash, or put the items below a key."],
  },
  "a tab in the indentation": {
    files: { "api.yaml": head.replace("info: {", 'info:\n\ttitle: Relay\n  version: "1"\nx-info: {') },
    expected: ["GW1011 api.yaml:3:1-3:2 Replace the tab with spaces."],
  },
  "a key that is there twice": {
    files: { "api.yaml": `${plain}info: { title: Again, version: "1" }\n` },
    expected: ["GW1012 api.yaml:5:1-5:5 Remove or rename one of the two."],
  },
  "more than 16 MB": {
    files: { "api.yaml": `${head}# ${"x".repeat(16 * 1024 * 1024)}` },
    expected: ["GW1003 api.yaml:1:1-1:1 Split the document, and join the parts with `$ref`."],
  },
  "a mapping with a mistake in its third line": {
    files: {
      "api.yaml": stream(
        intake,
        `      pipeline:
        processors:
          - mapping: |
              root.id = this.id
              root.name = this.name
              root.total = this.price * * 2
              root.more = 1
`,
      ),
    },
    expected: ["GW2008 api.yaml:14:41-14:42 Add an expression, such as `this.a`, `$name`, `5` or `now()`."],
  },
  "two connectors in one input": {
    files: { "api.yaml": stream(`${intake}\n        nats: { urls: ["nats://127.0.0.1:4222"], subject: a }`) },
    expected: ["GW4003 api.yaml:9:9-9:13 Remove one, or list both below `inputs` of a `broker`."],
  },
  "an unknown connector": {
    files: { "api.yaml": stream("        kafak: { topics: [a] }") },
    expected: ["GW4001 api.yaml:8:9-8:14 Did you mean `kafka`?"],
  },
  "a required field that is missing": {
    files: { "api.yaml": stream("        kafka: { topics: [a] }") },
    expected: ["GW4011 api.yaml:8:9-8:14 Add `addresses`."],
  },
  "two streams that claim one route": {
    files: {
      "api.yaml": `${stream(intake)}    second:
      input:
        http_server: { path: /in }
      output:
        http_server: { path: /other }
`,
    },
    expected: ["GW4030 api.yaml:13:30-13:33 Change the path or the verbs of one of them."],
  },
  "an empty file": {
    files: { "api.yaml": "" },
    expected: ["GW1006 api.yaml:1:1-1:1 Write an OpenAPI document, or remove the file."],
  },
  "a binary file": {
    files: { "api.yaml": Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0xc0, 0x00, 0x01) },
    expected: ["GW1004 api.yaml:1:5-1:6 Save the file as UTF-8."],
  },
  "a set that names files that are not there": {
    files: { "gateway.yaml": 'streaming: { enabled: true }\napis: [relay.yaml, "apis/*.yaml"]\n' },
    expected: [
      "GW1001 gateway.yaml:2:8-2:18 Correct the path, or create the file.",
      "GW1008 gateway.yaml:2:21-2:32 Correct the pattern. It is relative to the file that contains it.",
    ],
  },
  "values nested thousands of levels deep": {
    files: { "api.yaml": `${head}x-deep: ${"[".repeat(5000)}${"]".repeat(5000)}\n` },
    expected: [
      "GW1007 api.yaml:4:209-4:210 Divide the value, or the component, into several that are not inside each other.",
    ],
  },
  "JSON nested a hundred thousand levels deep": {
    files: { "api.json": `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}` },
    expected: [
      "GW1007 api.json:1:1001-1:1002 Divide the value, or the component, into several that are not inside each other.",
    ],
  },
  "a mapping nested thousands of levels deep": {
    files: {
      "api.yaml": stream(
        intake,
        `      pipeline: { processors: [{ mapping: "root = ${"(".repeat(5000)}1${")".repeat(5000)}" }] }\n`,
      ),
    },
    expected: ["GW2022 api.yaml:9:251-9:252 Move parts of it to `let` statements or maps."],
  },
  "a line of a megabyte": {
    files: {
      "api.json": `{"openapi":"3.1.1","info":{"title":"${"x".repeat(1_000_000)}","version":"1"},"paths":{},"x-gw-streaming":{"streams":{"relay":{"input":{"kafak":{}},"output":{"http_server":{"path":"/out"}}}}}}`,
    },
    expected: ["GW4001 api.json:1:1000113-1:1000118 Did you mean `kafka`?"],
  },
};

interface PrintedDiagnostic {
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly hint?: string;
}

function summarise({ code, file, line, column, endLine, endColumn, hint }: PrintedDiagnostic): string {
  return `${code} ${file}:${line}:${column}-${endLine}:${endColumn} ${hint}`;
}

for (const [name, { files, expected }] of Object.entries(inputs)) {
  test(name, async () => {
    const cwd = folderWith({ ...files, "out/gateway.mjs": "old" });
    const [document = ""] = Object.keys(files);
    const json = await warmSluice(["build", document, "-o", "out", "--format", "json"], { cwd });
    assert.equal([json.status, json.stderr], [1, ""]);
    assert.equal(JSON.parse(json.stdout).map(summarise), expected);
    const { status, stdout, stderr } = await warmSluice(["build", document, "-o", "out"], { cwd });
    assert.equal([status, stdout], [1, ""]);
    assert.not.match(stderr, /^ +at /m);
    for (const line of stderr.split("\n")) assert.ok(line.length < 200, "no line floods the terminal");
    assert.equal(readdirSync(join(cwd, "out")), ["gateway.mjs"]);
    assert.is(readFileSync(join(cwd, "out/gateway.mjs"), "utf8"), "old");
  });
}

test("a folder in place of a document is reported", async () => {
  const cwd = folderWith({});
  mkdirSync(join(cwd, "apis"));
  const { status, stdout } = await warmSluice(["check", "apis", "--format", "json"], { cwd });
  const expected = "GW1002 apis:1:1-1:1 Name the documents in it, such as `apis/*.yaml`.";
  assert.equal([status, JSON.parse(stdout).map(summarise)], [1, [expected]]);
});

test("a missing file is reported, with a suggestion for a similar name", async () => {
  const cwd = folderWith({ "orders.yaml": "" });
  const check = async (path: string) => {
    const { status, stdout } = await warmSluice(["check", path, "--format", "json"], { cwd });
    assert.is(status, 1);
    return JSON.parse(stdout).map(summarise);
  };
  assert.equal(await check("chat.yaml"), ["GW1001 chat.yaml:1:1-1:1 Correct the path, or create the file."]);
  assert.equal(await check("order.yaml"), ["GW1001 order.yaml:1:1-1:1 Did you mean `orders.yaml`?"]);
});

test.run();
