// Types of calls and the expected types of their results, written by hand: they test that each rule is precise, not only right.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { resultOfCall } from "../../compiler/builtins/accepted.ts";
import type { CallTypes } from "../../compiler/builtins/builtin.ts";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import { printType } from "../../compiler/value-types/print.ts";
import {
  anyObject,
  arrayOf,
  bool,
  bytes,
  deletedType,
  float,
  integer,
  nothingType,
  nullType,
  type ObjectType,
  objectOf,
  string,
  type Type,
  timestamp,
  unknown,
} from "../../compiler/value-types/type.ts";
import { unionOf } from "../../compiler/value-types/union.ts";
import { exactType } from "./values.ts";

type Query = (element: Type) => Type;

/** Returns the printed type of a call; a function among the arguments is a query. */
function resultOf(name: string, target: Type, ...given: readonly (Type | Query | undefined)[]): string {
  const builtin = name.endsWith("()")
    ? coreBuiltins.findFunction(name.slice(0, -2))
    : coreBuiltins.findMethod(name);
  assert.ok(builtin !== undefined, `there is a builtin ${name}`);
  const call: CallTypes = {
    target,
    args: given.map((arg) => (typeof arg === "function" ? unknown : arg)),
    areConstant: false,
    queryResult(index, element) {
      const query = given[index];
      assert.type(query, "function", `argument ${index} is a query`);
      return typeof query === "function" ? query(element) : unknown;
    },
  };
  return printType(resultOfCall(builtin, call), { maximumLength: 200 });
}

const literal = (value: string | number | boolean) => exactType(value);
const either = (...types: readonly Type[]) => unionOf(types);
const read =
  (name: string): Query =>
  (element) =>
    fieldOf(element, name).type;
const order = objectOf([
  ["id", string],
  ["lines", arrayOf(objectOf([["qty", integer]]))],
  ["customer", objectOf([["name", string]])],
]);
const partly: ObjectType = {
  kind: "Object",
  fields: new Map([
    ["a", { type: integer, required: false }],
    ["b", { type: string, required: true }],
  ]),
  rest: unknown,
};

/** The builtin, its target and arguments, and the expected result. */
const expectations: readonly (readonly [
  name: string,
  target: Type,
  args: readonly (Type | Query | undefined)[],
  result: string,
])[] = [
  ["uppercase", string, [], "string"],
  ["uppercase", bytes, [], "bytes"],
  ["uppercase", unknown, [], "string | bytes"],
  ["uppercase", literal("a"), [], "string"],
  ["string", either(literal("a"), literal("b")), [], '"a" | "b"'],
  ["string", literal(true), [], '"true"'],
  ["number", string, [], "number"],
  ["number", integer, [], "integer"],
  ["number", nullType, [literal(0)], "0"],
  ["number", nullType, [], "never"],
  ["number", either(integer, nullType), [literal(0)], "integer"],
  ["bool", string, [literal(false)], "bool"],
  ["bool", arrayOf(string), [], "never"],
  ["bool", arrayOf(string), [literal(5)], "bool"],
  ["timestamp", bool, [], "never"],
  ["timestamp", bool, [integer], "timestamp"],
  ["not", literal(true), [], "false"],
  ["type", either(string, integer, nullType), [], '"string" | "number" | "null"'],
  ["array", either(arrayOf(string), nullType), [], "string[] | null[]"],
  ["not_null", either(string, nullType), [], "string"],
  ["not_null", nullType, [], "never"],
  ["not_empty", either(literal(""), literal("a")), [], '"a"'],
  ["or", either(string, nullType), [() => integer], "string | integer"],
  ["or", deletedType, [() => integer], "integer"],
  ["catch", integer, [(error) => error], "integer | string"],
  ["map", order, [read("id")], "string"],
  ["abs", literal(-5), [], "integer"],
  ["abs", float, [], "number"],
  ["round", either(integer, float), [], "integer"],
  ["sum", arrayOf(integer), [], "integer"],
  ["sum", arrayOf(either(integer, float)), [], "number"],
  ["range()", unknown, [integer, integer], "integer[]"],
  ["map_each", arrayOf(order), [read("id")], "string[]"],
  ["map_each", arrayOf(string), [() => either(deletedType, integer, nothingType)], "(integer | string)[]"],
  [
    "map_each",
    order,
    [(entry) => fieldOf(entry, "key").type],
    '{ id: "id", lines: "lines", customer: "customer" }',
  ],
  ["map_each", objectOf([["a", string]]), [() => either(integer, deletedType)], "{ a?: integer }"],
  ["filter", arrayOf(string), [() => bool], "string[]"],
  ["filter", objectOf([["a", string]]), [() => bool], "{ a?: string }"],
  ["fold", arrayOf(integer), [literal(0), read("value")], "integer"],
  ["fold", arrayOf(float), [literal(0), read("value")], "number"],
  [
    "fold",
    arrayOf(string),
    [arrayOf(string), (element) => arrayOf(fieldOf(element, "tally").type)],
    "unknown",
  ],
  ["any", arrayOf(string), [() => bool], "bool"],
  ["append", arrayOf(string), [integer, nullType], "(string | integer | null)[]"],
  ["concat", arrayOf(string), [arrayOf(integer)], "(string | integer)[]"],
  ["zip", arrayOf(string), [arrayOf(integer)], "(string | integer)[][]"],
  ["enumerated", arrayOf(string), [], "{ index: integer, value: string }[]"],
  ["flatten", arrayOf(either(string, arrayOf(integer))), [], "(string | integer)[]"],
  ["find_all", arrayOf(string), [string], "integer[]"],
  [
    "index",
    arrayOf(order),
    [integer],
    "{ id: string, lines: { qty: integer }[], customer: { name: string } }",
  ],
  ["index", bytes, [integer], "integer"],
  ["slice", literal("abc"), [integer], "string"],
  ["slice", arrayOf(bool), [integer], "bool[]"],
  ["sort", arrayOf(string), [], "string[]"],
  [
    "sort",
    arrayOf(order),
    [read("left")],
    "{ id: string, lines: { qty: integer }[], customer: { name: string } }[]",
  ],
  ["sort_by", arrayOf(integer), [(element) => element], "integer[]"],
  ["unique", arrayOf(string), [], "string[]"],
  ["split_by", arrayOf(integer), [() => bool], "integer[][]"],
  ["split", string, [string], "string[]"],
  ["split", string, [string, literal(true)], "(string | null)[]"],
  ["split", bytes, [string, literal(false)], "bytes[]"],
  ["split", arrayOf(integer), [integer], "integer[][]"],
  ["get", order, [literal("customer.name")], "string"],
  ["get", order, [literal("lines.0.qty")], "integer | null"],
  ["get", order, [string], "unknown"],
  ["set", objectOf([["a", string]]), [literal("b.c"), integer], "{ a: string, b: { c: integer } }"],
  ["keys", order, [], '("id" | "lines" | "customer")[]'],
  ["keys", anyObject, [], "string[]"],
  [
    "values",
    objectOf([
      ["a", string],
      ["b", integer],
    ]),
    [],
    "(string | integer)[]",
  ],
  ["key_values", objectOf([["a", string]]), [], '{ key: "a", value: string }[]'],
  ["map_each_key", objectOf([["a", string]]), [() => string], "{ [string]: string }"],
  ["with", order, [literal("id"), literal("lines.qty")], "{ id: string, lines: { qty: integer }[] }"],
  ["with", partly, [literal("a"), literal("c")], "{ a?: integer, c?: unknown }"],
  ["without", order, [literal("id"), literal("lines")], "{ customer: { name: string } }"],
  [
    "without",
    order,
    [literal("customer.name"), literal("lines.qty")],
    "{ id: string, lines: { qty: integer }[], customer: {} }",
  ],
  ["without", partly, [literal("a")], "{ b: string, … }"],
  ["without", order, [string], "object"],
  [
    "explode",
    order,
    [literal("lines")],
    "{ id: string, lines: { qty: integer }, customer: { name: string } }[]",
  ],
  ["explode", objectOf([["a", anyObject]]), [literal("a")], "{ [string]: { a: unknown } }"],
  [
    "merge",
    objectOf([["a", string]]),
    [
      objectOf([
        ["a", integer],
        ["b", bool],
      ]),
    ],
    "{ a: (string | integer)[], b: bool }",
  ],
  ["merge", arrayOf(string), [either(integer, arrayOf(bool))], "(string | integer | bool)[]"],
  ["assign", objectOf([["a", string]]), [objectOf([["a", integer]])], "{ a: integer }"],
  ["assign", partly, [objectOf([["a", bool]])], "{ a: bool, b: string, … }"],
  [
    "merge",
    objectOf([["a", objectOf([["b", string]])]]),
    [objectOf([["a", objectOf([["c", bool]])]])],
    "{ a: { b: string, c: bool } }",
  ],
  ["parse_csv", string, [], "{ [string]: string }[]"],
  ["parse_csv", string, [literal(false)], "string[][]"],
  ["parse_form_url_encoded", string, [], "{ [string]: string | string[] }"],
  ["re_find_all_submatch", string, [literal("a")], "string[][]"],
  [
    "json_schema",
    order,
    [literal("{}")],
    "{ id: string, lines: { qty: integer }[], customer: { name: string } }",
  ],
  ["env()", unknown, [literal("A")], "string | null"],
  ["meta()", unknown, [literal("a")], "string | null"],
  ["meta()", unknown, [], "{ [string]: string }"],
  ["fake()", unknown, [literal("unix_time")], "integer"],
  ["fake()", unknown, [literal("email")], "string"],
  ["throw()", unknown, [literal("x")], "never"],
  ["ts_unix", timestamp, [], "integer"],
  ["ts_format", timestamp, [], "string"],
  ["hash", string, [literal("md5")], "bytes"],
  ["parse_json", string, [], "unknown"],
];

for (const [name, target, args, result] of expectations) {
  const given = args.map((arg) =>
    typeof arg === "function" ? "query" : arg === undefined ? "" : printType(arg),
  );
  test(`${printType(target)}.${name}(${given.join(", ")}) is ${result}`, () => {
    assert.is(resultOf(name, target, ...args), result);
  });
}

test.run();
