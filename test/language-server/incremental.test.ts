import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parse, stringify } from "yaml";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { createCheckMemory } from "../../compiler/parse/check-memory.ts";
import { createDocumentMemory } from "../../compiler/parse/document/document-memory.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { createEditedPlaces, type FileHistory } from "../../compiler/source/edited-places.ts";
import { createSourceFile, offsetsOf, type SourceFile, type Span } from "../../compiler/source/source.ts";
import { coreDialect } from "../../compiler/trees/dialect.ts";
import { type DocumentNode, findEntry, pathAt } from "../../compiler/trees/document.ts";
import { type Analysis, analyse } from "../../language-server/analysis/analysis.ts";
import { keysOf, placeAt } from "../../language-server/analysis/document-place.ts";
import { repairDocument } from "../../language-server/analysis/repaired.ts";
import { projectRoot } from "../harness/directories.ts";

const tests = suite("checks of edited documents");

const read = (file: string) => readFileSync(join(projectRoot, "examples", file), "utf8");

const streams = `openapi: 3.1.0
info: { title: Streams, version: 1.0.0 }
paths:
  /in1:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Order" }
      responses: { "202": { description: taken } }
components:
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        name: { type: string }
x-gw-streaming:
  streams:
${[0, 1, 2, 3]
  .map(
    (index) => `    s${index}:
      input:
        http_server: { path: /in${index} } # where orders come in
      pipeline:
        processors:
          - mapping: |
              root.id = this.id + "a"
              root.name = this.nme.upercase()
          - mapping: "root = this\\nroot.é = \\"😀\\""
      output:
        kafka:
          addresses: ["localhost:9092"]
          topic: 't\${! meta("x") }'
`,
  )
  .join("")}`;

const documents: readonly (readonly [string, string])[] = [
  ["streams.yaml", streams],
  ["crlf.yaml", streams.replaceAll("\n", "\r\n")],
  ["streams.json", JSON.stringify(parse(streams), undefined, 1)],
  ["orders.yaml", read("high-value-orders/orders.yaml")],
  ["chat.yaml", read("chat/chat.yaml")],
];

const pieces = [
  ...[
    "a",
    " ",
    "\n",
    "  ",
    ":",
    "-",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    "|",
    ">",
    "#",
    "0",
    "\t",
    "\r\n",
    "é",
    "😀",
  ],
  ...[
    "x: 1\n",
    "\u0001",
    "&a ",
    "*a",
    "<<: ",
    "      - mapping: root = this\n",
    "$" + "{X}",
    "---\n",
    "...\n",
    ".b",
  ],
  ...["$ref: '#/x-gw-streaming/streams/s1'", '"a": 1,', "    s9:\n      input: {}\n", 'import "x.blobl"\n'],
];

const edit = fc.record({
  at: fc.noBias(fc.integer({ min: 0, max: 9999 })).map((part) => part / 10_000),
  removed: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(8) }),
  added: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("a", "b", "1", ".") },
    { weight: 4, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.constant("") },
  ),
});

function place(span: Span): readonly unknown[] {
  const { start, end } = offsetsOf(span);
  return [span.source.file.path, start, end];
}

function reported({ code, severity, message, hint, span, related, fix }: Diagnostic): unknown {
  const edits = fix?.edits.map(({ span, text }) => [...place(span), text]);
  return [
    code,
    severity,
    message,
    hint,
    place(span),
    related && [related.message, place(related.span)],
    edits,
  ];
}

function placesIn(node: DocumentNode): unknown {
  if (node.kind === "list") return [place(node.span), node.items.map(placesIn)];
  if (node.kind === "map")
    return [
      place(node.span),
      node.entries.map(({ key, keySpan, value }) => [key, place(keySpan), placesIn(value)]),
    ];
  if (typeof node.value !== "string") return [String(node.value), place(node.span)];
  const { text } = node;
  return [text.text, place(node.span), [...text.text].map((_, index) => text.offsetInFile(index))];
}

function linesOf({ text, lineStarts }: SourceFile): readonly string[] {
  return Array.from(lineStarts, (start, index) => text.slice(start, lineStarts[index + 1]));
}

/** Returns everything that capabilities read from an analysis, with its source ranges. */
function shown({ diagnostics, suppressed, scripts, set }: Analysis): unknown {
  return {
    diagnostics: [...diagnostics, ...suppressed].map(reported),
    scripts: scripts.map(({ field, failures }) => [
      place(field.span),
      failures.map(({ span }) => place(span)),
    ]),
    trees: set?.apis.map(({ root }) => placesIn(root)),
    lines: set?.documents.map(({ file }) => linesOf(file)),
  };
}

tests("after any edits, a check that remembers finds what a new one finds", async () => {
  let reused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...documents),
      fc.array(edit, { maxLength: 12 }),
      async ([name, whole], edits) => {
        const memory = createCheckMemory();
        let text = whole;
        let root: DocumentNode | undefined;
        for (const { at, removed, added } of [{ at: 0, removed: 0, added: "" }, ...edits]) {
          const start = Math.floor(at * text.length);
          const before = text;
          text = text.slice(0, start) + added + text.slice(start + removed);
          const fileSystem = createMemoryFileSystem({ [name]: text });
          // The document is open in an editor.
          const open = { ...fileSystem, textOf: (path: string) => (path === name ? text : undefined) };
          const remembering = await analyse(name, open, memory);
          assert.equal(shown(remembering), shown(await analyse(name, fileSystem)));
          const next = remembering.set?.apis[0]?.root;
          if (
            next?.kind === "map" &&
            root?.kind === "map" &&
            next.entries[0]?.value === root.entries[0]?.value
          )
            reused++;
          root = next;
          // Most edits break a document; further edits need one that can still be read.
          if (next === undefined) text = before;
        }
      },
    ),
    { seed: 20_261_123, numRuns: 12 },
  );
  assert.ok(reused > 6, `${reused} trees had parts of earlier ones`);
});

tests("of a large description, a check that remembers finds what a new one finds", async () => {
  const operation = (index: number) => ({
    get: { operationId: `get${index}`, responses: { 200: { description: "x".repeat(800) } } },
  });
  const paths = Object.fromEntries(
    Array.from({ length: 1200 }, (_, index) => [`/r${index}`, operation(index)]),
  );
  const stream = {
    input: { http_server: { path: "/r7" } },
    output: { redis_streams: { password: "very-secret" } },
  };
  const whole = JSON.stringify(
    {
      openapi: "3.1.1",
      info: { title: "", version: "1" },
      paths,
      "x-gw-streaming": { streams: { s: stream } },
    },
    undefined,
    1,
  );
  const changes: readonly (readonly [before: string, after: string])[] = [
    ['"title": "', '"title": "very-secret '],
    ['"get3"', '"get4"'],
    ['"description": "x', '"description": 5, "a": "x'],
    ['"operationId": "get8"', '"operationId": "get9", "respnses": {}'],
    ['"/r1190"', '"r1190"'],
    ['"operationId": "get20"', '"operationId": 20'],
    ['"description": 5, "a": "x', '"description": "x'],
    ['"very-secret"', '"other"'],
    ['"path": "/r7"', '"path": "/r7-very-secret", "pat": "other"'],
    ['"version": "1"', '"version": 1'],
  ];
  const memory = createCheckMemory();
  let text = whole;
  for (const [before, after] of [["", ""], ...changes]) {
    text = text.replace(before ?? "", after ?? "");
    const fileSystem = createMemoryFileSystem({ "large.json": text });
    const remembering = await analyse("large.json", fileSystem, memory);
    const anew = await analyse("large.json", fileSystem);
    assert.equal(remembering.diagnostics.map(reported), anew.diagnostics.map(reported), after);
  }
  // In YAML, the validated value is not the text itself.
  const inYaml = createCheckMemory();
  for (const [right, wrong] of [
    ["", ""],
    ['"responses"', '"respnses"'],
    ['"operationId": "get9"', '"operationId": 9'],
  ] as const) {
    const yaml = stringify(JSON.parse(whole.replace(right, wrong)));
    const fileSystem = createMemoryFileSystem({ "large.yaml": yaml });
    const remembering = await analyse("large.yaml", fileSystem, inYaml);
    const anew = await analyse("large.yaml", fileSystem);
    assert.equal(remembering.diagnostics.map(reported), anew.diagnostics.map(reported), wrong);
  }
  // Only the parts with diagnostics are validated again.
  const root = (await analyse("large.json", createMemoryFileSystem({ "large.json": text }), memory)).set
    ?.apis[0]?.root;
  const entries = findEntry(root, "paths")?.value;
  assert.ok(entries?.kind === "map");
  const unknown = entries.entries.filter((entry) => !memory.openapi.valid.has(entry)).map(({ key }) => key);
  assert.equal(unknown, ["/r8", "/r20", "r1190"]);
});

tests(
  "a check that remembers sees changes of what other parts of a large description depend on",
  async () => {
    const responses = { 200: { description: "x".repeat(40_000) } };
    const operations = Array.from({ length: 30 }, (_, index) => [
      `/r${index}`,
      { get: { operationId: `get${index}`, responses } },
    ]);
    let text = JSON.stringify({
      openapi: "3.1.1",
      info: { title: "", version: "1" },
      security: [],
      paths: { ...Object.fromEntries(operations), "/shared": { $ref: "#/components/pathItems/shared" } },
      components: {
        schemas: {
          Order: { type: "object", properties: { item: { $ref: "#/components/schemas/Item" } } },
          Item: { type: "object" },
        },
        pathItems: {
          shared: {
            get: { operationId: "shared", security: [{ key: [] }], responses: { 200: { description: "" } } },
          },
        },
        securitySchemes: { key: { type: "http", scheme: "basic" } },
      },
      "x-gw-streaming": {
        streams: {
          s: {
            input: {
              http_server: { path: "/r7", allowed_verbs: ["GET"] },
              schema: { $ref: "#/components/schemas/Order" },
            },
            output: { drop: {} },
          },
        },
      },
    });
    const changes: readonly (readonly [before: string, after: string, codes: string])[] = [
      ["", "", ""],
      ['"Item":{', '"Other":{', "GW1030"],
      ['"Other":{"type":"object"', '"Item":{"type":"objekt"', "GW4092"],
      ['"objekt"', '"object"', ""],
      ['"operationId":"shared"', '"operationId":"get8"', "GW4233"],
      ['"pathItems":{"shared"', '"pathItems":{"other"', "GW1030"],
      ['"pathItems":{"other"', '"pathItems":{"shared"', "GW4233"],
      ['"operationId":"get8","security"', '"operationId":"shared","security"', ""],
      ['"securitySchemes":{"key"', '"securitySchemes":{"other"', "GW4071"],
      ['"security":[]', '"security":[{"other":[]}]', "GW4071"],
      ['"/r7":{', '"/R7":{', "GW4071 GW4052"],
      [
        '"components":{',
        '"webhooks":{"w":{"get":{"operationId":"get9"}}},"components":{',
        "GW4233 GW4071 GW4052",
      ],
      ['"webhooks"', '"x-webhooks"', "GW4071 GW4052"],
      [
        '"operationId":"get10"',
        '"callbacks":{"c":{"u":{"get":{"operationId":"get9","responses":{}}}}}',
        "GW4233 GW4071 GW4052",
      ],
      ['"version":"1"', '"version":"1","x-kind":{"type":"string"}', "GW4233 GW4071 GW4052"],
      [
        '"Item":{"type":"object"',
        '"Item":{"type":"object","properties":{"kind":{"$ref":"#/info/x-kind"}}',
        "GW4233 GW4071 GW4052",
      ],
      ['"x-kind":{"type":"string"', '"x-kind":{"type":"strin"', "GW4092 GW4233 GW4071 GW4052"],
      [
        '"x-kind":{"type":"strin"',
        '"x-kind":{"type":"string","nullable":true',
        "GW4094 GW4233 GW4071 GW4052",
      ],
    ];
    const memory = createCheckMemory();
    for (const [before, after, codes] of changes) {
      text = text.replace(before, after);
      const fileSystem = createMemoryFileSystem({ "large.json": text });
      const remembering = await analyse("large.json", fileSystem, memory);
      const anew = await analyse("large.json", fileSystem);
      assert.equal(remembering.diagnostics.map(reported), anew.diagnostics.map(reported), after);
      assert.is(remembering.diagnostics.map(({ code }) => code).join(" "), codes, after);
    }
  },
);

tests("a large text is completed the same, read in part or as a whole", () => {
  const { info, ...others } = parse(streams);
  const large = { ...others, info: { ...info, description: "x".repeat(200_000) } };
  const texts = [
    ["large.json", JSON.stringify(large, undefined, 1)],
    ["large.json", JSON.stringify(large)],
    ["large.yaml", `${streams}x-more:\n  description: ${large.info.description}\n`],
  ] as const;
  let places = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.noBias(fc.nat()),
      fc.constantFrom("", "a", "root.a = this.b", '"', '"a": ', ', "b"', "{", "\n    x", "x: "),
      fc.boolean(),
      ([name, text], at, typed, isTyped) => {
        const [from, to] = [text.lastIndexOf("xxx"), text.indexOf("xxx")];
        // A place before or after the long description.
        const offset =
          at % 2 === 0 ? at % to : Math.min(text.length, from + 3 + (at % (text.length - from - 2)));
        const next = text.slice(0, offset) + typed + text.slice(offset);
        const file = createSourceFile(name, isTyped ? text : next);
        const root = parseDocument(file, createSink().report);
        const found = (known?: { file: SourceFile; root: DocumentNode }) => {
          const repaired = repairDocument(name, next, offset + typed.length, known);
          if (repaired === undefined) return undefined;
          const place = placeAt(repaired.root, repaired.offset, coreDialect.components);
          const keys = place.parent && [...keysOf(place.parent.node)];
          return [
            repaired.isKey,
            repaired.file.text,
            place.path,
            keys,
            pathAt(repaired.root, repaired.offset),
          ];
        };
        if (root === undefined) return;
        const part = found({ file, root });
        if (part !== undefined) places++;
        assert.equal(part, found());
      },
    ),
    { seed: 20_261_128, numRuns: 40 },
  );
  assert.ok(places > 12, `${places} places`);
});

tests("places follow the changes of their text", () => {
  const history: FileHistory = { newest: undefined, changes: [] };
  const first = createEditedPlaces(history, 0);
  const change = (start: number, end: number, length: number) => history.changes.push({ start, end, length });
  change(10, 12, 5);
  assert.equal([9, 10, 11, 12, 20].map(first.offsetInFile), [9, 10, 10, 15, 23]);
  change(0, 0, 2);
  const third = createEditedPlaces(history, 2);
  change(12, 17, 0);
  assert.equal([0, 9, 10, 12, 20].map(first.offsetInFile), [2, 11, 12, 12, 20]);
  assert.equal([11, 12, 17].map(third.offsetInFile), [11, 12, 12]);
});

tests("a tree keeps no text of a version that is gone", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (const name of ["kept.json", "kept.yaml"]) {
    const isJson = name.endsWith(".json");
    const value = {
      s: parse(streams),
      rows: Object.fromEntries([1, 2, 3].map((row) => [`r${row}`, { name: `row ${row}` }])),
    };
    let text = isJson ? JSON.stringify(value, undefined, 1) : stringify(value);
    const memory = createDocumentMemory();
    const versions: WeakRef<SourceFile>[] = [];
    const edit = () => {
      const { file, root } = memory.parse(createSourceFile(name, text), createSink().report);
      assert.ok(root);
      versions.push(new WeakRef(file));
    };
    edit();
    for (const row of [1, 2, 3, 1]) {
      text = text.replace(`row ${row}`, `row ${row}, told anew`);
      edit();
    }
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const kept = versions.map((version) => version.deref() !== undefined);
    // Unchanged nodes are those of the first text.
    assert.equal(kept, [true, false, false, false, true], name);
  }
});

tests("the text of an older version is there as far as it is known", () => {
  const history: FileHistory = { newest: undefined, changes: [] };
  const [first, second] = [createEditedPlaces(history, 0), createEditedPlaces(history, 1)];
  history.newest = createSourceFile("a.yaml", "a: one\nb: three\nc: 4\n");
  history.changes.push({ start: 3, end: 4, length: 3 }, { start: 10, end: 13, length: 5 });
  assert.is(first.text, "a:  \nb:    \nc: 4\n");
  assert.is(second.text, "a: one\nb:    \nc: 4\n");
  assert.is(createEditedPlaces(history, 2).text, history.newest.text);
});

tests.run();
