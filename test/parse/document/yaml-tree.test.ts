import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../../compiler/diagnostics/sink.ts";
import { maximumDepth } from "../../../compiler/parse/document/limits.ts";
import { parseWhole, parseYaml } from "../../../compiler/parse/yaml/parse-yaml.ts";
import { createSourceFile, offsetsOf, type SourceText } from "../../../compiler/source/source.ts";
import { type DocumentNode, findEntry, findNode, toJson } from "../../../compiler/trees/document.ts";
import { projectRoot } from "../../harness/directories.ts";
import { parse } from "./reading.ts";

function json(text: string): unknown {
  const { root, problems } = parse("a.yaml", text);
  assert.equal(problems, []);
  assert.ok(root);
  return toJson(root);
}

function problems(text: string): readonly string[] {
  return parse("a.yaml", text).problems;
}

test("keys are strings as written", () => {
  assert.equal(json("200: a\n1.10: b\ntrue: c\n'x': d\n"), { "200": "a", "1.10": "b", true: "c", x: "d" });
});

test("`__proto__` is an ordinary key", () => {
  for (const others of ["", "404: b\n"]) {
    const value = json(`__proto__: { a: 1 }\n${others}`);
    assert.is(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(JSON.stringify(value), `{${others && '"404":"b",'}"__proto__":{"a":1}}`);
  }
});

test("numbers as keys are what they are in JSON", () => {
  const text = `{"404": 1, "b": {"4294967294": 2, "4294967295": 3, "0": 4}, "200": 5, "007": 6}`;
  assert.is(JSON.stringify(json(text)), JSON.stringify(JSON.parse(text)));
});

test("scalars follow the YAML 1.2 core schema", () => {
  assert.equal(json("a: yes\nb: 0o17\nc: 0x1F\nd: ~\ne:\nf: 2026-01-01\ng: 1e3\nh: False\n"), {
    a: "yes",
    b: 15,
    c: 31,
    d: null,
    e: null,
    f: "2026-01-01",
    g: 1000,
    h: false,
  });
});

test("integers that a double would round stay exact", () => {
  const { root } = parse("a.yaml", "a: 9007199254740993\nb: 9007199254740991\n");
  const [big, safe] = [findNode(root, "a"), findNode(root, "b")];
  assert.is(big?.kind === "scalar" && big.value, 9007199254740993n);
  assert.is(safe?.kind === "scalar" && safe.value, 9007199254740991);
});

test("aliases repeat values, with the position of the anchor", () => {
  const { root } = parse("a.yaml", "a: &x { k: 1 }\nb: *x\n");
  assert.is(findNode(root, "b"), findNode(root, "a"));
});

test("merged entries have lower precedence than own ones and earlier merges", () => {
  const text = "a: &a { x: 1, y: 1 }\nb: &b { y: 2, z: 2 }\nc:\n  <<: [*a, *b]\n  x: 3\n  w: 4\n";
  assert.equal((json(text) as { c: unknown }).c, { y: 1, z: 2, x: 3, w: 4 });
});

test("a quoted `<<` is a key", () => {
  assert.equal(json('"<<": 1\n'), { "<<": 1 });
});

test("spans exclude quotes, comments and blank lines", () => {
  const text = "a: 'one' # note\nb:\n  c: two\n\n# more\nd: [1, 2] # end\n";
  const { root } = parse("a.yaml", text);
  const written = (key: string) => {
    const span = findNode(root, key)?.span;
    return span && text.slice(span.start, span.end);
  };
  assert.equal(["a", "b", "d"].map(written), ["one", "c: two", "[1, 2]"]);
  const key = findEntry(root, "b")?.keySpan;
  assert.equal([key?.start, key?.end], [16, 17]);
});

test("the span of a scalar is always the same object", () => {
  const { root } = parse("a.yaml", "a: |\n  x\nb: y\n");
  for (const key of ["a", "b"]) assert.is(findNode(root, key)?.span, findNode(root, key)?.span);
});

test("a duplicate key refers to the first one", () => {
  assert.equal(problems("a:\n  b: 1\n  b: 2\n"), [
    "a.yaml:3:3-4 GW1012 Duplicate key `b`. | Remove or rename one of the two. (a.yaml:2:3-4 The first one is here.)",
  ]);
});

test("every tab used as indentation is reported", () => {
  const tab = (place: string) =>
    `a.yaml:${place} GW1011 YAML lines cannot be indented with tabs. | Replace the tab with spaces.`;
  assert.equal(problems("a:\n\tb: 1\n"), [tab("2:1-2")]);
  assert.equal(problems("a:\n  b: 1\n \tc: 2\n"), [tab("3:2-3")]);
  assert.equal(problems("a: |\n  x\n\ty\n"), [tab("3:1-2")]);
  assert.equal(problems("a: [1,\n\t2]\n"), [tab("2:1-2")]);
});

/** Text below `a:`, the position of the problem, and the diagnostic. */
const broken: readonly (readonly [text: string, place: string, says: string])[] = [
  ["{ path: /chat/{room} }", "1:12-24", "brackets must be quoted"],
  ["{ urls: [nats://{host}:4222] }", "1:13-31", "brackets must be quoted"],
  ["{ mapping: root = [1], b: 1 }", "1:15-25", "brackets must be quoted"],
  ["{ mapping: 'x' [1] }", "1:19-20", "Unexpected text after the value"],
  ["\n  b: |\n    root.a = 1\n   root.b = 2\n", "4:4-14", "indented less than the `|` block"],
  ["\n  b: |\n    root.a = 1\n  root.b = 2\n", "4:3-13", "indented less than the `|` block"],
  ["\n  - b: |\n      root.a = 1\nroot.b = 2\n", "4:1-11", "indented less than the `|` block"],
  ["\n  b:{ c: {} }\n", "2:4-5", "Missing space after `:`"],
  ["{ b: 1 } }", "1:13-14", "This bracket closes nothing"],
  ["{ b: 1 c: 2 }", "1:9-16", "entries need commas"],
  ["{ b: 1,, c: 2 }", "1:11-12", "Unexpected `,`"],
  ["'it's'", "1:8-10", "Unexpected text after the value"],
  ["| text", "1:6-10", "cannot start on the line of the `|`"],
  ["*", "1:4-5", "start an alias and an anchor"],
  ["&x &y 1", "1:7-9", "two anchors"],
  ["!!str !!str 1", "1:10-15", "two tags"],
  ["1\nb", "2:1-2", "Expected a key followed by `:`"],
];

for (const [text, place, says] of broken) {
  test(`invalid YAML has its own message and a hint: ${JSON.stringify(text)}`, () => {
    const [problem = "", ...others] = problems(`a: ${text}`);
    assert.equal(others, []);
    assert.match(problem, `a.yaml:${place} GW1010 `);
    assert.match(problem, says);
    assert.match(problem, / \| .+/);
  });
}

test("syntax errors are reported once, where they begin", () => {
  assert.equal(problems('a: "one\nb: 2\nc: 3\n'), [
    "a.yaml:1:4-5 GW1010 This quote is not closed. | Add the closing quote.",
  ]);
  assert.equal(problems("a: { b: ${HOST} }\n"), [
    "a.yaml:1:9-16 GW1010 `${…}` must be quoted inside `{ }` and `[ ]`. | Quote the value, or write the object or array as a block, one entry per line.",
  ]);
  assert.equal(problems("a: b: c\n"), [
    "a.yaml:1:4-5 GW1010 A line contains a second `: `. | Quote the string, or write the nested object on its own lines.",
  ]);
  assert.equal(problems("a: @x\n").length, 1);
  assert.equal(problems("a: [1, 2\nb: 3\nc: 4\n").length, 1);
});

test("aliases of missing, misspelt or enclosing anchors are reported", () => {
  assert.equal(problems("a: &order 1\nb: *ordre\n"), [
    "a.yaml:2:4-10 GW1014 Unknown anchor `ordre`: no `&ordre` precedes this alias. | Did you mean `*order`?",
  ]);
  assert.equal(problems("a: &x\n  - *x\n"), [
    "a.yaml:2:5-7 GW1019 The alias `*x` is inside the value that it refers to. | Move `&x` to a value that does not contain the alias.",
  ]);
});

test("exponential expansion of aliases is rejected", () => {
  const rows = ["- &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"];
  for (let row = 1; row < 30; row++)
    rows.push(
      `- &a${row} [${Array(10)
        .fill(`*a${row - 1}`)
        .join(", ")}]`,
    );
  const [problem, ...more] = problems(`${rows.join("\n")}\n`);
  assert.match(problem ?? "", /GW1015/);
  assert.equal(more, []);
});

test("deep nesting by aliases is rejected", () => {
  const rows = ["- &a0 1"];
  for (let row = 1; row < 300; row++) rows.push(`- &a${row} [[*a${row - 1}]]`);
  assert.match(problems(`${rows.join("\n")}\n`)[0] ?? "", /^a\.yaml:\d+:\d+-\d+ GW1007 /);
});

test("nesting is limited, and does not overflow the stack", () => {
  for (const open of ["[", "- ", "a: {", "? ", "{ a: [ "]) {
    assert.match(problems(open.repeat(50_000))[0] ?? "", /GW1007/, open);
  }
  assert.equal(problems(`${"[".repeat(199)}${"]".repeat(199)}`), []);
});

test("several documents in a file are reported", () => {
  assert.equal(problems("a: 1\n---\nb: 2\n"), [
    "a.yaml:2:1-4 GW1013 The file contains more than one YAML document. | Move each document to its own file.",
  ]);
  assert.equal(problems("---\na: 1\n...\n"), []);
});

test("values that JSON cannot represent are reported", () => {
  assert.match(problems("a: !!binary aGk=\n")[0] ?? "", /a\.yaml:1:\d+-\d+ GW1018/);
  assert.match(problems("a: !include b.yaml\n")[0] ?? "", /a\.yaml:1:4-12 GW1018 The YAML tag `!include`/);
  assert.match(problems("a: .nan\n")[0] ?? "", /a\.yaml:1:4-8 GW1020/);
  assert.match(problems("? { a: 1 }\n: 2\n")[0] ?? "", /a\.yaml:1:3-11 GW1016/);
});

/** Returns all properties of a node, with the position of each character of its text. */
function outline(node: DocumentNode): unknown {
  const at = offsetsOf(node.span);
  if (node.kind === "list") return [at, node.items.map(outline)];
  if (node.kind === "map")
    return [at, node.entries.map(({ key, keySpan, value }) => [key, offsetsOf(keySpan), outline(value)])];
  return [at, node.value, ...(typeof node.value === "string" ? [placesOf(node.text)] : [])];
}

function placesOf(text: SourceText): readonly unknown[] {
  return [text.text, ...Array.from({ length: text.text.length + 1 }, (_, at) => text.offsetInFile(at))];
}

/** Returns the result of a parser for a text. */
function readBy(read: typeof parseWhole, text: string): unknown {
  const { report, diagnostics } = createSink();
  const root = read(createSourceFile("a.yaml", text), report, maximumDepth);
  return [root && outline(root), diagnostics().map(({ code, span }) => [code, offsetsOf(span)])];
}

const files = globSync("examples/**/*.yaml", { cwd: projectRoot }).map((path) =>
  readFileSync(`${projectRoot}/${path}`, "utf8"),
);

/** The examples, and each with folded blocks instead of literal ones. */
const examples = files.flatMap((text) => [text, text.replaceAll(/\|(-?)$/gm, ">$1")]);

test("the fast reader of blocks and the YAML parser read the same documents", () => {
  assert.ok(examples.length > 5);
  for (const text of examples)
    for (const written of [text, text.replaceAll("\n", "\r\n"), `# c\n---\n${text}`])
      assert.equal(readBy(parseYaml, written), readBy(parseWhole, written));
});

test("folded blocks are read the same with any arrangement of lines", () => {
  const line = fc.constantFrom("a b", "c", "", "", "  ", "e  ", "  f", "\tg", "# h", "- i", "j: k");
  const block = fc.record({
    header: fc.constantFrom(">", ">-", "> # c", ">+", ">2"),
    lines: fc.array(line, { maxLength: 6 }),
    eol: fc.constantFrom("\n", "\r\n"),
    after: fc.constantFrom("", "\n", "\nm: n", "\n    - o\n", "\n# p\n"),
    before: fc.constantFrom("x: ", "- ", "x:\n  - y: "),
  });
  const property = fc.property(block, ({ header, lines, eol, after, before }) => {
    const written = [before + header, ...lines.map((each) => `    ${each}`)].join(eol) + after;
    assert.equal(readBy(parseYaml, written), readBy(parseWhole, written), JSON.stringify(written));
  });
  fc.assert(property, { numRuns: 700, seed: 34 });
});

test("parts of documents with random insertions and deletions are read the same", () => {
  const piece = fc.constantFrom(
    ..."\n|  |- |: |:| #| # c\n|-|>|\"|'|{|}|[|]|,|&a |*a|\t|\r\n|null|1.5|0x1F|? |\n\n|   \n|- a\n|é|<<: |!t |~".split(
      "|",
    ),
    ...["---\n", "|", "|+\n", "|-\n", ">\n", ">-\n", "''", "\\n", "\u00a0", "\u2028"],
  );
  const change = fc.record({ at: fc.nat(), removed: fc.constantFrom(0, 0, 0, 1, 4), piece });
  const part = fc.record({
    text: fc.constantFrom(...examples),
    from: fc.nat(),
    lines: fc.integer({ min: 2, max: 25 }),
    eol: fc.constantFrom("\n", "\n", "\r\n"),
    isEnded: fc.boolean(),
    changes: fc.array(change, { maxLength: 3 }),
  });
  let read = 0;
  const property = fc.property(part, ({ text, from, lines, eol, isEnded, changes }) => {
    const all = text.split("\n");
    const first = from % all.length;
    let written = all.slice(first, first + lines).join(eol) + (isEnded ? eol : "");
    for (const { at, removed, piece } of changes) {
      const place = at % (written.length + 1);
      written = written.slice(0, place) + (removed > 0 ? "" : piece) + written.slice(place + removed);
    }
    const whole = readBy(parseWhole, written);
    if (Array.isArray(whole) && whole[0] !== undefined) read++;
    assert.equal(readBy(parseYaml, written), whole, JSON.stringify(written));
  });
  fc.assert(property, { numRuns: 700, seed: 12 });
  assert.ok(read > 150, `only ${read} parts were YAML`);
});

test.run();
