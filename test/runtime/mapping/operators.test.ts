import { test } from "uvu";
import * as assert from "uvu/assert";
import * as operators from "../../../runtime/mapping/operators.ts";
import { textOf } from "../../../runtime/mapping/text.ts";
import { printJson } from "../../../runtime/message/json.ts";
import {
  deleted,
  nothing,
  SourceNumber,
  Timestamp,
  Unsigned,
  type Value,
  WholeFloat,
} from "../../../runtime/message/value.ts";

const source = (text: string) => new SourceNumber(text);
const whole = (value: number) => new WholeFloat(value);
const add = (a: Value, b: Value) => operators.add(a, b, "field `this.a`", "number literal");

/** Compares texts, because they distinguish the types: `1e+06` is a float, `1000000` an int64. */
function shows(value: Value, text: string): void {
  assert.is(textOf(value), text);
}

test("integers wrap at 64 bits", () => {
  shows(add(9223372036854775807n, 1), "-9223372036854775808");
  shows(add(9007199254740991, 1), "9007199254740992");
  shows(operators.multiply(4294967296, 4294967296, "", ""), "0");
  shows(operators.multiply(3037000500, 3037000500, "", ""), "-9223372036709301616");
  shows(operators.subtract(-9223372036854775808n, 1, "", ""), "9223372036854775807");
  shows(operators.negate(9223372036854775807n, ""), "-9223372036854775807");
  shows(add(new Unsigned(2n ** 64n - 1n), new Unsigned(2n)), "1");
  shows(add(new Unsigned(2n ** 63n), 0), "-9223372036854775808");
});

test("a float64 on either side makes a float64", () => {
  shows(add(999999, 1), "1000000");
  shows(add(999999, whole(1)), "1e+06");
  shows(add(0.5, 0.5), "1");
  assert.instance(add(0.5, 0.5), WholeFloat);
  assert.instance(operators.divide(6, 2, "", ""), WholeFloat);
  assert.instance(operators.multiply(0.5, 2, "", ""), WholeFloat);
  shows(operators.multiply(0, -5, "", ""), "0");
  shows(operators.multiply(whole(0), -5, "", ""), "-0");
  shows(operators.modulo(-7.9, 3, "", ""), "-1");
  shows(operators.modulo(-6, 3, "", ""), "0");
});

test("source numbers keep the value of their text", () => {
  shows(add(source("1.0"), 999999), "1e+06");
  shows(add(source("9007199254740993"), 0), "9007199254740993");
  shows(add(source("12345678901234567890"), 0), "1.2345678901234567e+19");
  shows(add(source("-0"), 0), "0");
  assert.ok(operators.equal(source("1e3"), 1000));
  assert.ok(operators.equal(true, source("0.0")));
  assert.not(operators.equal(true, 0));
});

test("strings: concatenation and type errors", () => {
  assert.is(add("a", "b"), "ab");
  assert.is(add(Buffer.from("a"), "b"), "ab");
  assert.is(add("at ", new Timestamp(0n, 0, "UTC")), "at 1970-01-01T00:00:00Z");
  assert.throws(
    () => add("a", 5),
    "cannot add types string (from field `this.a`) and number (from number literal)",
  );
  assert.throws(
    () => add(deleted, 5),
    "cannot add types delete (from field `this.a`) and number (from number literal)",
  );
  assert.throws(
    () => operators.divide(1, 0, "", "field `this.b`"),
    "field `this.b`: attempted to divide by zero",
  );
  assert.throws(
    () => operators.modulo(5, 0.5, "", "number literal"),
    "number literal: attempted to divide by zero",
  );
  assert.throws(() => operators.not(null, "null literal"), "expected bool value, got null from null literal");
  assert.throws(() => operators.truth("x"), 'expected bool value, got string ("x")');
});

test("equality follows the type of the left side", () => {
  const equal: readonly [Value, Value][] = [
    [true, 5],
    [5, whole(5)],
    ["a", Buffer.from("a")],
    [Buffer.from("a"), "a"],
    [null, null],
    [
      [1, "a"],
      [whole(1), "a"],
    ],
    [
      { a: 1, b: [true] },
      { b: [2], a: 1 },
    ],
    [2n ** 60n, new Unsigned(2n ** 60n)],
    ["1970-01-01T00:00:00Z", new Timestamp(0n, 0, "UTC")],
    [{ __proto__x: 1 }, { __proto__x: 1 }],
    // As in the reference engine, which compares the number of fields and looks each up.
    [{ a: null }, { b: null }],
  ];
  for (const [a, b] of equal) assert.ok(operators.equal(a, b), `${printJson(a)} == ${printJson(b)}`);
  const different: readonly [Value, Value][] = [
    [5, true],
    ["5", 5],
    [5, "5"],
    [null, 0],
    [deleted, deleted],
    [nothing, nothing],
    [[1], [1, 2]],
    [{}, { toString: null }],
    [Number.NaN, Number.NaN],
    [2n ** 60n, 2n ** 60n + 1n],
    [[], {}],
    [false, "false"],
  ];
  for (const [a, b] of different) assert.not(operators.equal(a, b), `${printJson(a)} != ${printJson(b)}`);
});

test("ordering", () => {
  assert.ok(operators.less("\uffff", "\u{10000}", "", ""));
  assert.ok(operators.greater(new Unsigned(2n ** 64n - 1n), 2n ** 62n, "", ""));
  assert.ok(operators.lessOrEqual(1, whole(1), "", ""));
  assert.not(operators.greaterOrEqual(Number.NaN, 1, "", ""));
  assert.throws(
    () => operators.less(true, false, "a", "b"),
    "cannot compare types bool (from a) and bool (from b)",
  );
});

test("conditions", () => {
  assert.not(operators.condition(null, ""));
  assert.throws(
    () => operators.strictCondition(null, "x"),
    "x resolved to a non-boolean value <nil> (<nil>)",
  );
  assert.throws(() => operators.condition("hi", "x"), "x resolved to a non-boolean value hi (string)");
});

test("string representations", () => {
  const forms: readonly [Value, string][] = [
    [whole(123456), "123456"],
    [whole(1000000), "1e+06"],
    [whole(5617410000), "5.61741e+09"],
    [0.00001, "1e-05"],
    [0.0001, "0.0001"],
    [1234567.5, "1.2345675e+06"],
    [whole(1e21), "1e+21"],
    [Number.NaN, "NaN"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [source("1.10"), "1.10"],
    [nothing, "null"],
    [{ b: "<", a: [1] }, '{"a":[1],"b":"\\u003c"}'],
    [whole(-0), "-0"],
    [Buffer.from([0xff]), "\udcff"],
    [new Timestamp(1n, 5, "+02:00"), "1970-01-01T02:00:01.000000005+02:00"],
  ];
  for (const [value, text] of forms) shows(value, text);
});

test.run();
