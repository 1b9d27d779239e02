import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { findMappingError } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { projectRoot } from "../harness/directories.ts";
import { startParsers } from "./tree-sitter.ts";
import { grammarOf } from "./tree-sitter-grammar.ts";

const folder = join(projectRoot, "editor/tree-sitter-blobl");
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const parse = await startParsers();

test("the generated parser matches the grammar", async () => {
  assert.equal(JSON.parse(read("src/grammar.json")), await grammarOf(join(folder, "grammar.js")));
});

const rule = "=".repeat(80);
const line = "-".repeat(80);

for (const file of globSync("test/corpus/*.txt", { cwd: folder }).sort()) {
  test(`${file} parses as recorded there`, async () => {
    const text = read(file);
    const parts = text.split(`${rule}\n`).slice(1);
    const corpus = parts.flatMap((title, index) => {
      const [input = "", tree = ""] = (parts[index + 1] ?? "").split(`${line}\n`);
      return index % 2 === 0 ? [{ title: title.trim(), input: input.replace(/^\n/, ""), tree }] : [];
    });
    const results = await parse(corpus.map(({ input }) => ({ language: "blobl", text: input })));
    const actual = corpus.map(({ title, input }, index) => {
      const tree = indent(results[index]?.tree ?? "");
      return `${rule}\n${title}\n${rule}\n\n${input}${line}\n\n${tree}\n`;
    });
    if (process.env.UPDATE === "1") writeFileSync(join(folder, file), actual.join("\n"));
    else assert.fixture(text, actual.join("\n"));
    assert.not.match(actual.join(""), /ERROR|MISSING/);
  });
}

/** Formats a tree like corpus files: each node on its own line. */
function indent(tree: string): string {
  let depth = 0;
  return tree
    .replaceAll(/ ?(\w+: )?\(|\)/g, (token) => {
      if (token === ")") {
        depth--;
        return ")";
      }
      return `${depth === 0 ? "" : "\n"}${"  ".repeat(depth++)}${token.trim()}`;
    })
    .replace(/^\n/, "");
}

test("every mapping that compiles is parsed without an error", async () => {
  const rows: readonly { readonly mapping?: string }[] = ["behaviour", "examples", "found"].flatMap((name) =>
    JSON.parse(readFileSync(join(projectRoot, `test/conformance/data/${name}.json`), "utf8")),
  );
  const files = globSync("{examples,bench,test}/**/*.blobl", { cwd: projectRoot }).sort();
  const texts = new Set([
    ...rows.flatMap(({ mapping }) => mapping ?? []),
    ...files.map((file) => readFileSync(join(projectRoot, file), "utf8")),
  ]);
  const valid = [...texts].filter(
    (text) => findMappingError(createSourceFile("m.blobl", text)) === undefined,
  );
  assert.ok(valid.length > 1500, `${valid.length} mappings`);
  const results = await parse(valid.map((text) => ({ language: "blobl", text })));
  assert.equal(
    valid.filter((_, index) => results[index]?.error !== false),
    [],
  );
});

test("tokens have the highlights of their kind", async () => {
  const text =
    'map named { root.a = this.b }\nlet x = $x.or(@k).slice(low: 1) # "c"\nroot = match { _ => [v -> v.id, "t\\n"] }\n';
  const [result] = await parse([{ language: "blobl", text, query: read("queries/highlights.scm") }]);
  const last = new Map(result?.captures.map(({ name, start, stop }) => [text.slice(start, stop), name]));
  const expected = {
    map: "keyword",
    named: "function",
    root: "variable.builtin",
    a: "property",
    this: "variable.builtin",
    $x: "variable",
    or: "function.method",
    "@k": "variable",
    low: "variable.parameter",
    "1": "number",
    '# "c"': "comment",
    match: "keyword.conditional",
    _: "constant.builtin",
    "=>": "operator",
    v: "property",
    id: "property",
    '"t\\n"': "string",
    "\\n": "string.escape",
    "{": "punctuation.bracket",
  };
  assert.equal(Object.fromEntries(Object.keys(expected).map((word) => [word, last.get(word)])), expected);
});

test("mappings in YAML are injected in every scalar style", async () => {
  const text = `pipeline:
  processors:
    - mapping: |
        root.literal = 1
    - mutation: root.plain = 2
    - { bloblang: root.flow = 3 }
    - mapping: "root.double = 4"
    - log: { message: 'root.none = 5' }
    - switch: [{ check: 'this.single == 6' }]
`;
  const [result] = await parse([{ language: "yaml", text, query: read("queries/yaml-injections.scm") }]);
  assert.not.ok(result?.error);
  const found = result?.captures.filter(({ name }) => name === "injection.content") ?? [];
  assert.equal(
    found.map(({ start, stop }) =>
      text
        .slice(start, stop)
        .trim()
        .replace(/^\|\s*/, ""),
    ),
    ["root.literal = 1", "root.plain = 2", "root.flow = 3", '"root.double = 4"', "'this.single == 6'"],
  );
});

test.run();
