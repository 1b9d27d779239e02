import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import "../../harness/patched-swagger-parser.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { isKnownValid } from "../../../compiler/parse/openapi/known-valid.ts";
import { findViolations } from "../../../compiler/parse/openapi/validate.ts";
import { projectRoot } from "../../harness/directories.ts";

// The validators only know the documents of these patch versions.
const versions = { "3.0": "3.0.4", "3.1": "3.1.1", "3.2": "3.2.0" } as const;
type Version = keyof typeof versions;

const minimal = { info: { title: "Empty", version: "1" }, paths: {} };

/** Documents with valid and with invalid OpenAPI. */
const small: readonly object[] = [
  minimal,
  { ...minimal, info: { title: "Empty" } },
  { ...minimal, servers: "none" },
  { ...minimal, paths: { "/a": { get: {} } } },
  { ...minimal, paths: { "/a": { get: { responses: { 200: { description: "fine" } } } } } },
  { ...minimal, paths: { "/a": { get: { responses: { 200: {} } } } } },
  { ...minimal, paths: { "/a": { get: { responses: { default: { description: "any" }, "x-own": 1 } } } } },
  { ...minimal, paths: { "/a": { get: { responses: { 200: { description: "fine" }, fine: {} } } } } },
  { ...minimal, paths: { "/a": { get: { responses: { "x-own": 1 } } } } },
  { ...minimal, paths: { "/a": { get: { responses: {} } } } },
  { ...minimal, paths: { "/a": { get: { responses: { 200: { description: "fine" } }, "x-own": 1 } } } },
  { ...minimal, paths: { "/a": { get: { responses: { 200: { description: "fine" } }, own: 1 } } } },
  { ...minimal, paths: { "/a": { "x-own": 1 } } },
  { ...minimal, paths: { "/a": { own: 1 } } },
  { ...minimal, paths: { a: {} } },
  { ...minimal, paths: { "x-a": 1 } },
  { ...minimal, info: { ...minimal.info, "x-own": 1 } },
  { ...minimal, info: { ...minimal.info, own: 1 } },
  { ...minimal, info: { ...minimal.info, license: { name: "MIT", own: 1 } } },
  { ...minimal, components: { own: {} } },
  { ...minimal, components: { "x-own": 1, schemas: {} } },
  { ...minimal, components: { schemas: { "not a name": {} } } },
  { ...minimal, components: { links: { a: { operationId: "b", own: 1 } } } },
  { ...minimal, components: { links: { a: { operationId: "b", "x-own": 1 } } } },
  { ...minimal, components: { headers: { a: { schema: {}, own: 1 } } } },
  { ...minimal, components: { headers: { a: { schema: {}, style: "simple", explode: true } } } },
  { ...minimal, components: { examples: { a: { value: 1, own: 1 } } } },
  { ...minimal, "x-own": 1 },
  { ...minimal, webhooks: { made: {} } },
  { ...minimal, components: { schemas: { a: { type: ["string", "null"] } } } },
  { ...minimal, components: { schemas: { a: { type: "text" } } } },
  { ...minimal, components: { securitySchemes: { key: { type: "apiKey", in: "header" } } } },
  { ...minimal, unknown: true },
];

/** Returns the correct documents of that version, as they are written. */
function writtenDocuments(version: Version): readonly object[] {
  return globSync("test/corpus/*/api.yaml", { cwd: projectRoot })
    .sort()
    .map((file) => readFileSync(join(projectRoot, file), "utf8"))
    .filter((text) => text.startsWith(`openapi: ${version}`))
    .slice(0, 8)
    .map((text) => parse(text, { logLevel: "silent" }));
}

for (const version of Object.keys(versions) as Version[]) {
  test(`documents known to be valid are exactly those that the validator of ${version} accepts`, async () => {
    const outcomes = new Set<boolean>();
    for (const document of [...small, ...writtenDocuments(version)]) {
      const api = { ...document, openapi: versions[version] };
      const isValid = (await findViolations(version, api)).length === 0;
      assert.is(await isKnownValid(version, api), isValid, JSON.stringify(api).slice(0, 500));
      outcomes.add(isValid);
    }
    assert.is(outcomes.size, 2, "some are valid, some are not");
  });
}

test("the validators compile their schemas once, and report the same in any order of documents", async () => {
  const core: { compile(schema: object): unknown } = Object.getPrototypeOf(Ajv2020.prototype);
  const { compile } = core;
  const compiled = new Set<unknown>();
  core.compile = function (schema) {
    const result = compile.call(this, schema);
    compiled.add(result);
    return result;
  };
  try {
    for (const version of Object.keys(versions) as Version[]) {
      compiled.clear();
      const apis = small.map((document) => ({ ...document, openapi: versions[version] }));
      const inOrder = await Promise.all(apis.map((api) => findViolations(version, api)));
      const reversed = await Promise.all(apis.toReversed().map((api) => findViolations(version, api)));
      assert.equal(reversed.toReversed(), inOrder);
      assert.ok(compiled.size <= 1, `${version}: ${compiled.size} times`);
    }
  } finally {
    core.compile = compile;
  }
});

test.run();
