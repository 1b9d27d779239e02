// The compiler reads facts about a component from its descriptor: it does not compare the names of components. It reads
// what documents mean from the model: it does not look up values by literal keys.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreCatalogue } from "../schemas/catalogue.ts";
import { components } from "../schemas/generated/components.ts";
import { countLookUps } from "../scripts/metrics/modules.ts";
import { projectRoot } from "./harness/directories.ts";

/** Components that the mapping language itself defines. */
const ofTheLanguage = new Set(["mapping", "bloblang", "mutation", "branch", "switch"]);

/** Words with a second meaning: methods, fields, roles, transports, schemes, kinds of flows and trees. */
const otherMeanings = new Set([
  ...[
    "catch",
    "drop",
    "file",
    "http",
    "inproc",
    "lines",
    "none",
    "socket",
    "local",
    "re_match",
    "log",
    "memory",
    "metric",
    "nats",
    "noop",
    "processors",
  ],
  ...[
    "redis",
    "reject",
    "retry",
    "split",
    "try",
    "websocket",
    "while",
    "cache",
    "cached",
    "rate_limit",
    "sleep",
  ],
  ...["drop_on", "workflow", "compress", "archive", "parallel", "fallback", "sequence", "template", "xml"],
]);

const names = new Set(
  components.flatMap(({ name, aliases = [] }) => [name, ...aliases]).filter((name) => !isAmbiguous(name)),
);

function isAmbiguous(name: string): boolean {
  return ofTheLanguage.has(name) || otherMeanings.has(name);
}

/** The modules of the compiler. */
const modules = globSync("compiler/**/*.ts", { cwd: projectRoot })
  .map((file) => file.replaceAll("\\", "/"))
  .map((file) => {
    const text = readFileSync(join(projectRoot, file), "utf8");
    return { file, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) };
  });

/** Returns the string literals and property names of a module that name a component. */
function namesIn({ file, tree }: (typeof modules)[number]): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isKey = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    if ((ts.isStringLiteralLike(node) || isKey) && names.has(node.text)) found.push(`${file}: ${node.text}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

test("no module of the compiler names a component, except those that the language defines", () => {
  // Functions and methods of the mapping language have names of their own.
  const found = modules.filter(({ file }) => !file.startsWith("compiler/builtins/")).flatMap(namesIn);
  assert.equal(found, []);
});

/** Returns the comparisons of the name of a descriptor in a module: `descriptor.name === "kafka"`, `.startsWith("nats")`. */
function comparisonsIn({ file, tree: { text } }: (typeof modules)[number]): readonly string[] {
  const comparison =
    /\bdescriptor\??\.name\b[?!]?(?:\s*[!=]==|\.(?:startsWith|endsWith|includes|match))|\bcomponent\.name\s*[!=]==\s*"(\w+)"/g;
  const found = [...text.matchAll(comparison)].filter(([, name = ""]) => !ofTheLanguage.has(name));
  return found.map(([each]) => `${file}: ${each}`);
}

test("no module of the compiler compares the name of a descriptor", () => {
  assert.equal(modules.flatMap(comparisonsIn), []);
});

test("only parse, model and trees look up values of documents by literal keys", () => {
  const lookingUp = modules.filter(({ tree }) => countLookUps(tree) > 0).map(({ file }) => file);
  assert.equal(
    lookingUp.filter((file) => !/^compiler\/(?:parse|model|trees)\//.test(file)),
    [],
  );
  assert.ok(lookingUp.includes("compiler/model/api.ts"), "control: the model does");
});

test("control: names of components are found in the catalogue", () => {
  assert.ok(names.has("kafka") && names.has("amqp_0_9") && names.has("json_schema"));
  assert.ok(names.size > 25, `${names.size} names`);
  assert.ok(coreCatalogue.all("processor").some(({ name }) => name === "mapping"));
});

test.run();
