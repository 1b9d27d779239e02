import { test } from "uvu";
import * as assert from "uvu/assert";
import { createDeclaredTypes } from "../../compiler/check/inference/declared-types.ts";
import { locate } from "../../compiler/source/source.ts";
import { findNode } from "../../compiler/trees/document.ts";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import { printType } from "../../compiler/value-types/print.ts";
import type { Type } from "../../compiler/value-types/type.ts";
import { type Files, openapi, read } from "../parse/document/reading.ts";

/** The types of `components.schemas` of the first of some files, by name. */
async function declared(files: Files): Promise<(name: string) => Type> {
  const { apis, problems } = await read(files);
  assert.equal(problems, []);
  const [api] = apis;
  if (api === undefined) throw new Error("no document was read");
  const types = createDeclaredTypes(api);
  return (name) => {
    const node = findNode(api.root, "components", "schemas", name);
    if (node === undefined) throw new Error(`no schema ${name}`);
    return types.typeOf(node);
  };
}

function document(schemas: string, version?: string): string {
  return openapi(
    `paths: {}\nx-gw-streaming: { streams: {} }\ncomponents:\n  schemas:\n${schemas.replace(/^/gm, "    ")}\n`,
    version,
  );
}

test("fields keep their declaration positions, across references and files", async () => {
  const typeOf = await declared({
    "api.yaml": document("Order: { properties: { id: { type: string }, lines: { $ref: lines.yaml } } }"),
    "lines.yaml": "type: array\nitems:\n  properties:\n    price: { type: number }\n",
  });
  const order = typeOf("Order");
  const lines = fieldOf(order, "lines");
  const price = fieldOf(fieldOf(lines.type, "0").type, "price");
  const places = [fieldOf(order, "id"), lines, price].map(({ span }) => {
    if (span === undefined) return "nowhere";
    const { file, start, end } = locate(span);
    return `${file.path}:${start.line}:${start.column}-${end.column}`;
  });
  assert.equal(places, ["api.yaml:7:28-30", "api.yaml:7:50-55", "lines.yaml:4:5-10"]);
  assert.is(printType(price.type), "number | null");
});

test("schemas that refer to each other are read with their names", async () => {
  const typeOf = await declared({
    "api.yaml": document(
      "Order: { properties: { parent: { $ref: '#/components/schemas/Order' }, line: { $ref: '#/components/schemas/Line' } } }\n" +
        "Line: { properties: { order: { $ref: '#/components/schemas/Order' } } }",
    ),
  });
  assert.is(printType(typeOf("Order")), "{ parent?: Order, line?: { order?: Order, … }, … }");
  assert.is(typeOf("Order"), typeOf("Order"));
});

test("siblings of a reference apply from OpenAPI 3.1 on, nullable in every version", async () => {
  const schemas =
    "Name: { type: object, properties: { first: { type: string } } }\n" +
    "Strict: { $ref: '#/components/schemas/Name', required: [first] }\n" +
    "Loose: { $ref: '#/components/schemas/Name', nullable: true }";
  const before = await declared({ "api.yaml": document(schemas, "3.0.3") });
  const since = await declared({ "api.yaml": document(schemas) });
  assert.is(printType(before("Strict")), "{ first?: string, … }");
  assert.is(printType(since("Strict")), "{ first: string, … }");
  assert.is(printType(before("Loose")), "{ first?: string, … } | null");
});

test("a property named like a keyword is a property", async () => {
  const typeOf = await declared({
    "api.yaml": document(
      "Odd: { type: object, properties: { $ref: { type: string }, type: { enum: [a] } } }",
      "3.0.3",
    ),
  });
  assert.is(printType(typeOf("Odd")), '{ $ref?: string, type?: "a", … }');
});

test("dynamic references resolve to the only schema of that name, or to unknown", async () => {
  const typeOf = await declared({
    "api.yaml": document(
      "Text: { $dynamicAnchor: text, type: string }\n" +
        "One: { $dynamicRef: '#text' }\n" +
        "A: { $dynamicAnchor: node, type: string }\n" +
        "B: { $dynamicAnchor: node, type: integer }\n" +
        "Many: { $dynamicRef: '#node' }\n" +
        "None: { $dynamicRef: '#nowhere' }",
    ),
  });
  assert.is(printType(typeOf("One")), "string");
  assert.is(typeOf("Many").kind, "Unknown");
  assert.is(typeOf("None").kind, "Unknown");
});

test("dynamic references of another file resolve there, unless the document replaces their schema", async () => {
  const files = {
    "tree.yaml":
      "$dynamicAnchor: node\ntype: object\nproperties:\n  data: { type: string }\n  child: { $dynamicRef: '#node' }",
    "parts.yaml": "A: { $dynamicRef: '#text' }\nB: { $dynamicAnchor: text, type: string }",
  };
  const typeOf = await declared({
    "api.yaml": document("Tree: { $ref: tree.yaml }\nPart: { $ref: 'parts.yaml#/A' }"),
    ...files,
  });
  assert.is(printType(typeOf("Tree")), "{ data?: string, child?: node, … }");
  assert.is(printType(typeOf("Part")), "string");
  const replaced = await declared({
    "api.yaml": document("Tree: { $ref: tree.yaml }\nStrict: { $dynamicAnchor: node, $ref: tree.yaml }"),
    ...files,
  });
  assert.is(printType(replaced("Tree")), "{ data?: string, child?: unknown, … }");
});

test("integers beyond double precision keep their digits", async () => {
  const typeOf = await declared({ "api.yaml": document("Big: { const: 9223372036854775807 }") });
  assert.is(printType(typeOf("Big")), "9223372036854775807");
});

test("a schema shared by a YAML alias is read at both places", async () => {
  const typeOf = await declared({
    "api.yaml": document("Base: &base { type: object, properties: { a: { type: string } } }\nSame: *base"),
  });
  assert.is(printType(typeOf("Same")), "{ a?: string, … }");
});

test.run();
