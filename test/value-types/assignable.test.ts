import { test } from "uvu";
import * as assert from "uvu/assert";
import { explainMismatch } from "../../compiler/value-types/assignable.ts";
import type { JsonSchema } from "../../compiler/value-types/json-schema/json-schema.ts";
import { readJsonSchema } from "../../compiler/value-types/json-schema/read/read-schema.ts";
import { type Mismatch, printPath } from "../../compiler/value-types/mismatch.ts";
import { printType } from "../../compiler/value-types/print.ts";
import type { Type } from "../../compiler/value-types/type.ts";
import { unionOf } from "../../compiler/value-types/union.ts";

/** `certain type a.b: string for integer (closest)` */
function show({ path, problem, certain, found, wanted, closest }: Mismatch): string {
  const types = [found, wanted].map((type) => (type === undefined ? "-" : printType(type))).join(" for ");
  const near = closest === undefined ? "" : ` (${closest})`;
  return `${certain ? "certain" : "possible"} ${problem} ${printPath(path)}: ${types}${near}`;
}

function explain(found: Type, wanted: JsonSchema): readonly string[] {
  return explainMismatch(found, readJsonSchema(wanted)).map(show);
}

function closed(properties: Record<string, unknown>, required = Object.keys(properties)): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

function open(properties: Record<string, unknown>, required = Object.keys(properties)): JsonSchema {
  return { type: "object", properties, required };
}

const text = { type: "string" };
const whole = { type: "integer" };
const maybeText = { type: ["string", "null"] };
const created = closed({ kind: { const: "created" }, id: text });
const removed = closed({ kind: { const: "removed" }, at: whole });
const event: JsonSchema = { oneOf: [created, removed] };
const tree: JsonSchema = {
  $ref: "#/$defs/Tree",
  $defs: { Tree: open({ value: text, kids: { type: "array", items: { $ref: "#/$defs/Tree" } } }) },
};

const rows: readonly (readonly [
  what: string,
  found: JsonSchema,
  wanted: JsonSchema,
  explained: readonly string[],
])[] = [
  ["equal types", text, text, []],
  ["what is not known", true, text, []],
  ["what anything will do for", text, true, []],
  ["no value at all", false, text, []],
  ["an integer as a number", whole, { type: "number" }, []],
  ["a number as an integer", { type: "number" }, whole, ["possible type : number for integer"]],
  ["another kind", text, whole, ["certain type : string for integer"]],
  ["null", { type: "null" }, text, ["certain null : null for string"]],
  ["what may be null", maybeText, text, ["possible null : null for string"]],
  ["what may be null as another kind", maybeText, whole, ["certain type : string | null for integer"]],
  ["a value of an enum", { const: "a" }, { enum: ["a", "b"] }, []],
  ["a value of no enum", { const: "c" }, { enum: ["a", "b"] }, ['certain value : "c" for "a" | "b"']],
  [
    "an enum that is wider",
    { enum: ["a", "c"] },
    { enum: ["a", "b"] },
    ['possible value : "c" for "a" | "b"'],
  ],
  ["any text as an enum", text, { enum: ["a", "b"] }, ['possible value : string for "a" | "b"']],
  ["what nothing may be", text, false, ["certain type : string for never"]],
  [
    "elements",
    { type: "array", items: text },
    { type: "array", items: whole },
    ["certain type []: string for integer"],
  ],
  ["an empty array", { const: [] }, { type: "array", items: whole }, []],
  ["an array as an object", { type: "array" }, open({}), ["certain type : unknown[] for object"]],
  ["a missing field", closed({}), open({ id: text }), ["certain missing id: - for string"]],
  [
    "a field that may be missing",
    closed({ id: text }, []),
    open({ id: text }),
    ["possible missing id: - for string"],
  ],
  ["a field that an open object may have", open({}), open({ id: text }), []],
  [
    "a field of a map",
    { type: "object", additionalProperties: whole },
    open({ id: text }),
    ["certain type id: integer for string"],
  ],
  ["a field that need not be there", closed({}), closed({ id: text }, []), []],
  [
    "a field that may be wrong",
    closed({ id: whole }, []),
    closed({ id: text }, []),
    ["possible type id: integer for string"],
  ],
  [
    "null in a field that need not be there",
    closed({ id: maybeText }),
    closed({ id: text }, []),
    ["possible null id: null for string"],
  ],
  [
    "an extra field",
    closed({ id: text, more: text }),
    closed({ id: text }),
    ["certain extra more: string for -"],
  ],
  [
    "an extra field that may be there",
    closed({ more: text }, []),
    closed({}),
    ["possible extra more: string for -"],
  ],
  ["an extra field of an open object", closed({ more: text }), open({}), []],
  [
    "an extra field of a map",
    closed({ more: text }),
    { type: "object", additionalProperties: whole },
    ["certain type more: string for integer"],
  ],
  [
    "a misspelt field",
    closed({ totl: whole }),
    closed({ total: whole }),
    ["certain extra totl: integer for - (total)"],
  ],
  [
    "a misspelt field of an open object",
    closed({ totl: whole }),
    open({ total: whole }),
    ["certain missing total: - for integer (totl)"],
  ],
  [
    "two places",
    closed({ a: closed({ b: whole }), c: text }),
    closed({ a: open({ b: text }), c: whole }),
    ["certain type a.b: integer for string", "certain type c: string for integer"],
  ],
  [
    "names that need quotes",
    closed({ "a b": closed({ c: whole }) }),
    open({ "a b": open({ c: text }) }),
    ['certain type "a b".c: integer for string'],
  ],
  ["one of several", created, event, []],
  ["a union in itself", event, event, []],
  [
    "a union in a part of itself",
    event,
    created,
    [
      'possible value kind: "removed" for "created"',
      "possible missing id: - for string",
      "possible extra at: integer for -",
    ],
  ],
  [
    "the variant that is meant",
    closed({ kind: { const: "removed" }, at: text }),
    event,
    ["certain type at: string for integer"],
  ],
  [
    "no variant",
    closed({ kind: { const: "lost" } }),
    event,
    ['certain value kind: "lost" for "created" | "removed"'],
  ],
  [
    "several variants in one object",
    closed({ kind: { enum: ["created", "removed"] }, id: text }),
    event,
    ["possible missing at: - for integer", "possible extra id: string for -"],
  ],
  [
    "any variant",
    closed({ kind: text, id: text }),
    event,
    ['possible value kind: string for "created" | "removed"'],
  ],
  ["a type inside itself", tree, tree, []],
  [
    "a type inside itself that differs",
    tree,
    {
      $ref: "#/$defs/Tree",
      $defs: { Tree: open({ kids: { type: "array", items: { $ref: "#/$defs/Tree" } }, value: whole }) },
    },
    ["certain type kids[].value: string for integer", "certain type value: string for integer"],
  ],
  [
    "a finite value as a type inside itself",
    { const: { value: "a", kids: [{ value: "b", kids: [] }] } },
    tree,
    [],
  ],
  [
    "a wrong finite value as a type inside itself",
    { const: { value: "a", kids: [{ value: 1, kids: [] }] } },
    tree,
    ["certain type kids[].value: 1 for string"],
  ],
];

for (const [what, found, wanted, explained] of rows) {
  test(`explains ${what}`, () => assert.equal(explain(readJsonSchema(found), wanted), explained));
}

test("bytes and timestamps are strings in a message", () => {
  for (const kind of ["Bytes", "Timestamp"] as const) {
    assert.equal(explain({ kind }, text), []);
    assert.equal(explain({ kind }, { enum: ["a"] }), [`possible value : ${kind.toLowerCase()} for "a"`]);
    assert.equal(explain({ kind }, whole), [`certain type : ${kind.toLowerCase()} for integer`]);
  }
});

test("deleted and missing values cause no mismatch", () => {
  assert.equal(explain({ kind: "Deleted" }, text), []);
  assert.equal(explain(unionOf([{ kind: "Nothing" }, { kind: "Null" }]), text), [
    "certain null : null for string",
  ]);
});

test("reports where the field around a mismatch was declared", () => {
  const source = {
    text: "id",
    get file(): never {
      throw new Error("not read");
    },
    offsetInFile: (offset: number) => offset,
    endInFile: (offset: number) => offset + 1,
  };
  const span = { source, start: 0, end: 2 };
  const wanted: Type = {
    kind: "Object",
    fields: new Map([["ids", { type: { kind: "Array", items: { kind: "String" } }, required: true, span }]]),
    rest: undefined,
  };
  const spans = (found: JsonSchema) =>
    explainMismatch(readJsonSchema(found), wanted).map(({ wantedSpan }) => wantedSpan);
  assert.is(spans(closed({ ids: { type: "array", items: whole } }))[0], span);
  assert.is(spans(closed({}))[0], span);
});

test.run();
