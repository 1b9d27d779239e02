import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { coreCatalogue, documentSchemas, isUnsupported, resourceSections } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import { parseDuration } from "../../schemas/duration.ts";
import { annotations, type Schema } from "../../schemas/schema.ts";
import { gatewayFileSchema, wholeDocumentSchema } from "../../schemas/whole-document.ts";
import { projectRoot } from "../harness/directories.ts";

const schemas: readonly (readonly [name: string, schema: Schema])[] = [
  ...(Object.keys(resourceSections) as readonly ComponentRole[]).flatMap((role) =>
    coreCatalogue.all(role).map(({ name, schema }) => [name, schema] as const),
  ),
  ...Object.entries(documentSchemas),
];

function* fieldsOf(schema: Schema, path: string): Generator<readonly [path: string, schema: Schema]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, field];
    yield* fieldsOf(field, `${path}.${name}`);
  }
  if (schema.items !== undefined) yield* fieldsOf(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === "object") yield* fieldsOf(schema.additionalProperties, path);
}

const fields = schemas.flatMap(([name, schema]) => [...fieldsOf(schema, name)]);

test("every schema is valid, without unknown keywords", () => {
  const ajv = new Ajv2020({
    allowUnionTypes: true,
    keywords: [...annotations],
    formats: { regex: true },
  });
  for (const [name, schema] of schemas) assert.not.throws(() => ajv.compile(schema), undefined, name);
});

test("every field has a description", () => {
  const silent = fields.filter(([, field]) => field.description === undefined).map(([path]) => path);
  assert.equal(silent, []);
});

test("every default is a valid value of its field", () => {
  const ajv = new Ajv2020({
    allowUnionTypes: true,
    keywords: [...annotations],
    formats: { regex: true },
  });
  for (const [path, field] of fields) {
    if (field.default === undefined) continue;
    assert.ok(ajv.validate(field, field.default), `${path}: ${ajv.errorsText()}`);
    if (field["x-unit"] !== "duration" || (field.default === "" && field["x-empty"] === true)) continue;
    assert.type(parseDuration(String(field.default)), "number", path);
  }
});

test("resource labels are fixed at build time", () => {
  const open = schemas
    .flatMap(([name, schema]) => [
      ...fieldsOf(schema, name),
      ...(schema.items === undefined ? [] : [[`${name}[]`, schema.items] as const]),
    ])
    .filter(([, field]) => field["x-resource"] !== undefined && field["x-unit"] !== "duration")
    .filter(([, field]) => field["x-fixed"] !== true);
  assert.equal(open, []);
});

test("an alias names a field beside it", () => {
  for (const [name, schema] of schemas) {
    for (const [key, { "x-alias": target }] of Object.entries(schema.properties ?? {})) {
      if (target !== undefined) assert.ok(schema.properties?.[target], `${name}.${key}`);
    }
  }
});

test("supported fields are not listed as unsupported", () => {
  for (const role of Object.keys(resourceSections) as readonly ComponentRole[]) {
    for (const name of coreCatalogue.names(role)) {
      assert.ok(coreCatalogue.find(role, name)?.schema, name);
      assert.not(isUnsupported(role, name), name);
    }
  }
  for (const [name, schema] of schemas) {
    const both = schema["x-unsupported"]?.filter((field) => schema.properties?.[field] !== undefined);
    assert.equal(both ?? [], [], name);
  }
});

/** One validator and one schema for all tests: to compile that takes seconds, and is done once for the same object. */
const ofEditors = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
const wholeDocument = wholeDocumentSchema();

test("the schemas for editors compile", () => {
  assert.not.throws(() => ofEditors.compile(wholeDocument));
  assert.not.throws(() => ofEditors.compile(gatewayFileSchema()));
});

test("editors report nothing in correct documents", () => {
  const check = ofEditors.compile(wholeDocument);
  const corpus = join(projectRoot, "test/corpus");
  const documents = readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\/(?:api|stream)\.(?:yaml|json)$/.test(path),
  );
  assert.ok(documents.length > 60);
  for (const path of documents) {
    const document: unknown = parse(readFileSync(join(corpus, path), "utf8"), { merge: true });
    assert.ok(check(document), `${path}: ${ofEditors.errorsText(check.errors)}`);
  }
});

test.run();
