import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { readField } from "../../compiler/parse/streams/fields.ts";
import { createSourceFile, locate } from "../../compiler/source/source.ts";
import { allSchemas } from "../../schemas/catalogue.ts";
import type { Schema } from "../../schemas/schema.ts";

interface TextField {
  readonly path: string;
  readonly schema: Schema;
}

/** Every field of a schema that takes a text, with the scripts left out. */
function* textFields(schema: Schema, path: string): Iterable<TextField> {
  if (schema["x-component"] !== undefined) return;
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  const isScript = schema["x-text"] === "mapping" || schema["x-text"] === "query";
  if (types.includes("string") && !isScript) yield { path, schema };
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    yield* textFields(property, `${path}.${key}`);
  }
  if (schema.items !== undefined) yield* textFields(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === "object") {
    yield* textFields(schema.additionalProperties, `${path}.*`);
  }
}

/** What reading a text as the value of a field reports, as `code column`. */
function findings(schema: Schema, text: string): readonly string[] {
  const sink = createSink();
  const node = parseDocument(createSourceFile("part.json", JSON.stringify({ field: text })), sink.report);
  if (node === undefined) throw new Error("nothing was read");
  const place = { name: "part", schema: { type: "object", properties: { field: schema } } as const };
  readField(node, { ...place, report: sink.report, readComponent: () => undefined });
  return sink.diagnostics().map(({ code, span }) => `${code} ${locate(span).start.column}`);
}

const fields = [...allSchemas()].flatMap(([name, schema]) => [...textFields(schema, name)]);

test("the schemas have fields with and without interpolation", () => {
  const taking = fields.filter(({ schema }) => schema["x-text"] === "interpolated");
  assert.ok(taking.length > 10);
  assert.ok(fields.length - taking.length > 50);
});

for (const { path, schema } of fields) {
  const takes = schema["x-text"] === "interpolated";
  test(`${path} ${takes ? "reads" : "refuses"} queries in its value`, () => {
    assert.equal(findings(schema, "a ${! this.id } b"), takes ? [] : ["GW4021 13"]);
    // An end that was forgotten is told whether queries are read or not.
    assert.is(findings(schema, "a ${! this.id").length, 1);
  });
}

test.run();
