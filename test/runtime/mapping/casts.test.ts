// Numbers of the smaller types: how they are created, printed and calculated with.

import { test } from "uvu";
import * as assert from "uvu/assert";
import * as casts from "../../../runtime/mapping/casts.ts";
import { format } from "../../../runtime/mapping/format.ts";
import { nativeTypeName, typeName } from "../../../runtime/mapping/kinds.ts";
import { add, equal, less, multiply, subtract, truth } from "../../../runtime/mapping/operators.ts";
import { textOf } from "../../../runtime/mapping/text.ts";
import { printJson } from "../../../runtime/message/json.ts";
import { SourceNumber, Unsigned, type Value, WholeFloat } from "../../../runtime/message/value.ts";

type Cast = (target: Value, from: string) => Value;

function shown(cast: Cast, ...targets: readonly Value[]): string {
  return targets.map((target) => attempt(() => printJson(cast(target, "field")))).join(" ");
}

function attempt(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? `<${error.message}>` : String(error);
  }
}

test("strings are parsed as in Go", () => {
  assert.is(
    shown(casts.int64, "0xDEADBEEF", "-0b101", "0o17", "017", "1_000", "+5"),
    "3735928559 -5 15 15 1000 5",
  );
  assert.is(shown(casts.uint64, "18446744073709551615", "0xFF"), "18446744073709551615 255");
  assert.is(shown(casts.int64, "1.5"), '<strconv.ParseInt: parsing "1.5": invalid syntax>');
  assert.is(
    shown(casts.int64, "9223372036854775808"),
    '<strconv.ParseInt: parsing "9223372036854775808": value out of range>',
  );
  assert.is(shown(casts.uint8, "-1"), '<strconv.ParseUint: parsing "-1": invalid syntax>');
  assert.is(
    shown(casts.float64, ".5", "1e3", "x"),
    '0.5 1000 <strconv.ParseFloat: parsing "x": invalid syntax>',
  );
});

test("values that do not fit are rejected", () => {
  assert.is(shown(casts.int8, 127, 128), "127 <value is too large to be cast as an 8-bit signed integer>");
  assert.is(
    shown(casts.int16, -32768, -32769),
    "-32768 <value is too small to be cast as a 16-bit signed integer>",
  );
  assert.is(
    shown(casts.uint32, 4294967295, 4294967296),
    "4294967295 <value is too large to be cast as a 32-bit unsigned integer>",
  );
  assert.is(
    shown(casts.uint16, -1),
    "<signed integer value is negative and cannot be cast as an unsigned integer>",
  );
  assert.is(shown(casts.int64, Number.NaN), "<cannot convert NAN to an integer>");
  assert.is(
    shown(casts.int64, new Unsigned(2n ** 63n)),
    "<unsigned integer value is too large to be cast as a signed integer>",
  );
  assert.is(shown(casts.int32, null), "<expected number value, got null>");
  assert.is(shown(casts.int32, new SourceNumber("1.0")), '<strconv.ParseInt: parsing "1.0": invalid syntax>');
});

test("a float32 prints with its own shortest digits", () => {
  const values = ["0.1", "3.4e38", "16777216", "1e-7", "1e21", "6.674282313423543523453425345e-11"];
  assert.is(shown(casts.float32, ...values), "0.1 3.4e+38 16777216 1e-7 1e+21 6.674283e-11");
  assert.is(shown(casts.float32, 1e20), "100000000000000000000");
  assert.is(textOf(casts.float32("123456789", "")), "123456790");
  assert.is(
    format("%v %v %.3f", "", casts.float32(0.1, ""), casts.float32(1e6, ""), casts.float32(0.1, "")),
    "0.1 1e+06 0.100",
  );
});

test("sized numbers are numbers everywhere", () => {
  const five = casts.int32(5, "");
  assert.is(typeName(five), "number");
  assert.is(nativeTypeName(casts.uint8(5, "")), "uint8");
  assert.is(textOf(five), "5");
  assert.ok(equal(five, 5) && equal(5, five) && equal(new WholeFloat(5), five) && less(five, 6, "", ""));
  assert.ok(truth(five) && !truth(casts.uint8(0, "")));
  assert.is(format("%d %s", "", five, five), "5 %!s(int32=5)");
});

test("`+` rejects sized numbers on its left; the other operators accept them", () => {
  const five = casts.int32(5, "");
  assert.is(
    attempt(() => textOf(add(five, 1, "method int32", "number literal"))),
    "<cannot add types number (from method int32) and number (from number literal)>",
  );
  assert.is(add(1, five, "", ""), 6);
  assert.is(subtract(five, 1, "", ""), 4);
  assert.is(multiply(five, five, "", ""), 25);
  assert.is(textOf(subtract(casts.uint8(1, ""), casts.uint8(2, ""), "", "")), "18446744073709551615");
});

test.run();
