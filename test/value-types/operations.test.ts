import { test } from "uvu";
import * as assert from "uvu/assert";
import { withField, withoutField } from "../../compiler/value-types/assign.ts";
import { elementsOf, valuesOf } from "../../compiler/value-types/elements.ts";
import { fieldNamesOf, fieldOf, isClosed, typeAtPath } from "../../compiler/value-types/fields.ts";
import { intersect } from "../../compiler/value-types/intersect.ts";
import { readJsonSchema } from "../../compiler/value-types/json-schema/read/read-schema.ts";
import { exceptKinds, isNullable, kinds, kindsOf, ofKinds } from "../../compiler/value-types/kinds.ts";
import { type PrintOptions, printType } from "../../compiler/value-types/print.ts";
import {
  anyObject,
  arrayOf,
  bool,
  bytes,
  deletedType,
  integer,
  never,
  nothingType,
  nullType,
  objectOf,
  recursive,
  string,
  type Type,
  timestamp,
  unknown,
} from "../../compiler/value-types/type.ts";
import { membersOf, unionOf } from "../../compiler/value-types/union.ts";

const order = readJsonSchema({
  type: "object",
  required: ["id"],
  properties: {
    id: { type: "string" },
    note: { type: "string" },
    lines: { type: "array", items: { type: "integer" } },
  },
  additionalProperties: false,
});
const openOrder = readJsonSchema({ type: "object", properties: { id: { type: "string" } } });

function shows(type: Type, text: string, options?: PrintOptions): void {
  assert.is(printType(type, options), text);
}

test("a required field has its type", () => {
  const { type, presence, declared, fieldless } = fieldOf(order, "id");
  shows(type, "string");
  assert.equal([presence, declared, fieldless.kind], ["present", true, "Never"]);
});

test("an optional field is nullable", () => {
  const { type, presence, declared } = fieldOf(order, "note");
  shows(type, "string | null");
  assert.equal([presence, declared], ["maybe", true]);
});

test("an undeclared field of a closed object is null", () => {
  const { type, presence, declared } = fieldOf(order, "nope");
  shows(type, "null");
  assert.equal([presence, declared], ["absent", false]);
  assert.equal(fieldNamesOf(order), ["id", "note", "lines"]);
});

test("an undeclared field of an open object is unknown", () => {
  const { type, presence, declared } = fieldOf(openOrder, "nope");
  assert.equal([type.kind, presence, declared], ["Unknown", "maybe", false]);
  assert.equal([isClosed(order), isClosed(openOrder), isClosed(unknown)], [true, false, false]);
});

test("fields of values without fields are null, and those values are reported", () => {
  const { type, presence, fieldless } = fieldOf(unionOf([order, string, nullType]), "id");
  shows(type, "string | null");
  shows(fieldless, "string | null");
  assert.is(presence, "maybe");
  const text = fieldOf(string, "id");
  assert.equal([printType(text.type), text.presence, printType(text.fieldless)], ["null", "maybe", "string"]);
});

test("names on arrays are indexes, or `*` for all elements", () => {
  shows(fieldOf(arrayOf(string), "0").type, "string | null");
  shows(fieldOf(arrayOf(string), "*").type, "string[] | null");
  assert.is(fieldOf(arrayOf(string), "name").presence, "absent");
  shows(typeAtPath(arrayOf(order), ["*", "id"]), "string[] | null");
  shows(typeAtPath(objectOf([["orders", arrayOf(order)]]), ["orders", "0", "id"]), "string | null");
});

test("assigning creates missing objects on the path", () => {
  shows(withField(nullType, ["a", "b"], string), "{ a: { b: string } }");
  shows(withField(objectOf([]), ["a", "b"], integer), "{ a: { b: integer } }");
  shows(withField(order, ["note"], integer), "{ id: string, note: integer, lines?: integer[] }");
  shows(withField(unknown, ["a"], string), "{ a: string, … }");
  assert.is(withField(unknown, ["0"], string).kind, "Unknown");
});

test("assigning a union yields one object with a union field", () => {
  shows(withField(objectOf([]), ["a"], unionOf([string, integer])), "{ a: string | integer }");
});

test("assigning into a value without fields fails", () => {
  assert.is(withField(string, ["a"], string).kind, "Never");
  assert.is(withField(order, ["id", "a"], string).kind, "Never");
  shows(withField(unionOf([string, objectOf([])]), ["a"], integer), "{ a: integer }");
});

test("assigning to elements widens their type", () => {
  shows(withField(arrayOf(string), ["0"], integer), "(string | integer)[]");
  shows(withField(arrayOf(string), ["-"], nullType), "(string | null)[]");
});

test("deleted() removes a field, nothing() keeps it, and a union may do either", () => {
  shows(withField(order, ["note"], deletedType), "{ id: string, lines?: integer[] }");
  assert.is(withField(order, ["note"], nothingType), order);
  shows(withField(objectOf([["a", string]]), ["a"], unionOf([deletedType, integer])), "{ a: integer } | {}");
  assert.is(withField(order, [], deletedType).kind, "Deleted");
});

test("deleting removes fields at any depth", () => {
  shows(withoutField(objectOf([["a", order]]), ["a", "note"]), "{ a: { id: string, lines?: integer[] } }");
  assert.is(withoutField(order, ["nope", "deep"]), order);
  assert.is(fieldOf(withoutField(openOrder, ["id"]), "id").presence, "absent");
  shows(withoutField(string, ["a"]), "string");
});

test("types of elements and values", () => {
  shows(elementsOf(unionOf([arrayOf(string), arrayOf(nullType), integer])), "string | null");
  assert.is(elementsOf(string).kind, "Never");
  shows(valuesOf(order), "string | integer[]");
  assert.equal([elementsOf(unknown).kind, valuesOf(unknown).kind], ["Unknown", "Unknown"]);
});

test("kinds are the possible results of .type()", () => {
  assert.equal(
    [...kindsOf(unionOf([string, bytes, integer, nullType]))],
    ["string", "bytes", "number", "null"],
  );
  assert.equal([...kindsOf(unknown)], [...kinds]);
  assert.equal([...kindsOf(never)], []);
  assert.equal([isNullable(string), isNullable(unknown), isNullable(nullType)], [false, true, true]);
});

test("types are narrowed by kinds", () => {
  const value = unionOf([string, nullType, timestamp, order]);
  shows(ofKinds(value, ["string", "null"]), "string | null");
  shows(ofKinds(unknown, ["number", "array"]), "number | unknown[]");
  shows(exceptKinds(value, ["null", "object"]), "string | timestamp");
  assert.is(exceptKinds(unknown, ["null"]).kind, "Unknown");
});

test("intersections keep the fields of both and where they were declared", () => {
  const both = intersect(order, readJsonSchema({ type: "object", required: ["note"] }));
  shows(both, "{ id: string, note: string, lines?: integer[] }");
  assert.is(intersect(order, readJsonSchema({ type: "object", required: ["nope"] })).kind, "Never");
  shows(intersect(unionOf([{ kind: "String", value: "a" }, integer]), string), '"a"');
});

test("intersections of types that contain each other end", () => {
  const [one, other] = [objectOf([["id", string]]), objectOf([["count", integer]])];
  const b: Type = recursive("B", () => unionOf([intersect(b, one), intersect(c, other), one]));
  const c: Type = recursive("C", () => intersect(b, c));
  assert.equal([...kindsOf(b)], ["object"]);
  assert.ok(fieldNamesOf(b).includes("id"));
});

test("a union of too many objects is any object", () => {
  const objects = Array.from({ length: 501 }, (_, index) => objectOf([[`p${index}`, integer]]));
  assert.is(unionOf(objects), anyObject);
  assert.is(membersOf(unionOf(objects.slice(1))).length, 500);
});

test("the union of true and false is bool", () => {
  shows(
    unionOf([
      { kind: "Bool", value: true },
      { kind: "Bool", value: false },
    ]),
    "bool",
  );
  assert.equal(unionOf([{ kind: "Bool", value: true }, bool]), bool);
});

test("printed types are abbreviated to fit", () => {
  const wide = objectOf(Array.from({ length: 40 }, (_, index) => [`field${index}`, order] as const));
  shows(wide, "{ field0: object, field1: object, field2: object, field3: object, … }", { maximumLength: 80 });
  shows(arrayOf(wide), "object[]", { maximumLength: 8 });
  shows(order, "{ id: string, note?: string, … }", { maximumLength: 34 });
  shows(objectOf([["a b", deletedType]]), '{ "a b": deleted() }');
});

test.run();
