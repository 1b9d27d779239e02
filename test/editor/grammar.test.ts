import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { walk } from "../../compiler/trees/walk.ts";
import { projectRoot } from "../harness/directories.ts";
import { type ScopedToken, startTokenizer } from "./scopes.ts";

const tokenize = await startTokenizer();
const folder = join(projectRoot, "test/editor/scopes");
const read = (path: string) => readFileSync(path, "utf8");

/** Returns the lines that contain parts of a mapping, and below each line its tokens with their innermost scope. */
function describe(lines: readonly (readonly ScopedToken[])[]): string {
  return lines
    .flatMap((tokens, index) => {
      const inside = tokens.filter(({ text, scopes }) => text.trim() !== "" && scopes.some(isOurs));
      if (inside.length === 0) return [];
      const reported = inside.map(({ text, scopes }) => `    ${text.trim()}  ${innermost(scopes)}`);
      return [
        `${index + 1}: ${tokens
          .map(({ text }) => text)
          .join("")
          .trim()}`,
        ...reported,
      ];
    })
    .join("\n");
}

const isOurs = (scope: string) => scope.endsWith(".blobl");

function innermost(scopes: readonly string[]): string {
  return scopes.findLast((scope) => scope !== "source.blobl" && isOurs(scope)) ?? scopes.at(-1) ?? "";
}

function expectScopes(name: string, actual: string): void {
  const path = join(folder, `${name}.txt`);
  if (process.env.UPDATE === "1") writeFileSync(path, `${actual}\n`);
  else assert.fixture(`${actual}\n`, read(path));
}

for (const file of globSync("examples/*/*.yaml", { cwd: projectRoot }).sort()) {
  test(`${file} has the recorded scopes`, async () => {
    const actual = describe(await tokenize(read(join(projectRoot, file)), "source.yaml"));
    const name = file
      .replace(/^examples\//, "")
      .replace(/\.yaml$/, "")
      .replaceAll("/", "-");
    if (actual !== "") expectScopes(name, actual);
  });
}

for (const [name, language] of [
  ["styles.yaml", "source.yaml"],
  ["language.blobl", "source.blobl"],
] as const) {
  test(`${name} has the recorded scopes`, async () => {
    expectScopes(name, describe(await tokenize(read(join(folder, name)), language)));
  });
}

test("the injections list every field that holds a mapping or a query", () => {
  const fields = new Set<string>();
  const collect = (value: unknown, name: string): void => {
    if (typeof value !== "object" || value === null) return;
    if ("x-text" in value && (value["x-text"] === "mapping" || value["x-text"] === "query")) fields.add(name);
    for (const [key, inner] of Object.entries(value)) {
      // A mapping under a name of the author's choice has no field by which a grammar could recognise it.
      if (key !== "additionalProperties") collect(inner, isPlace(key) ? name : key);
    }
  };
  for (const file of globSync("schemas/**/*.schema.json", { cwd: projectRoot })) {
    collect(JSON.parse(read(join(projectRoot, file))), file.replace(/^.*\/(.*)\.schema\.json$/, "$1"));
  }
  const grammar = read(join(projectRoot, "editor/vscode/syntaxes/yaml-fields.tmLanguage.json"));
  const query = read(join(projectRoot, "editor/tree-sitter-blobl/queries/yaml-injections.scm"));
  for (const name of [...fields, "bloblang"]) {
    assert.match(grammar, new RegExp(`[(|]${name}[)|]`));
    assert.match(query, `"${name}"`);
  }
});

/** Whether a keyword of JSON Schema leads to a value of the same field. */
function isPlace(key: string): boolean {
  return ["items", "anyOf", "oneOf", "allOf"].includes(key) || /^\d+$/.test(key);
}

test("functions, methods, variables and strings of mappings have the scopes of their kind", async () => {
  const files = globSync("test/{corpus,emit,inference,parse}/**/*.blobl", { cwd: projectRoot }).sort();
  let compared = 0;
  for (const file of files) {
    const text = read(join(projectRoot, file));
    let isValid = true;
    const tree = parseMapping(createSourceFile(file, text), () => {
      isValid = false;
    });
    if (tree === undefined || !isValid) continue;
    const lines = await tokenize(text, "source.blobl");
    const scopeAt = (offset: number): string => {
      const before = text.slice(0, offset).split("\n");
      let column = before.at(-1)?.length ?? 0;
      for (const token of lines[before.length - 1] ?? []) {
        column -= token.text.length;
        if (column < 0) return innermost(token.scopes);
      }
      return "";
    };
    const expect = (offset: number, scope: RegExp) => {
      compared++;
      assert.match(scopeAt(offset), scope, `${file} at ${JSON.stringify(text.slice(offset, offset + 20))}`);
    };
    walk(tree, {
      FunctionCall: ({ name }) => expect(name.span.start, /^entity\.name\.function\.blobl$/),
      MethodCall: ({ name }) => expect(name.span.start, /^entity\.name\.function\.method/),
      StringLiteral: ({ span }) => expect(span.start, /string/),
      Variable: ({ span }) => expect(span.start, /^variable\.other\.readwrite/),
      Metadata: ({ span }) => expect(span.start, /^variable\.other\.metadata/),
      Lambda: ({ parameter }) => expect(parameter.span.start, /^variable\.parameter/),
      IntegerLiteral: ({ span }) => expect(span.start, /^constant\.numeric|keyword\.operator\.arithmetic/),
    });
  }
  assert.ok(compared > 500, `${compared} places`);
});

test.run();
