// Compares the printer with `JSON.stringify` on documents that reach its limits.

import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseJson, printJson } from "../../runtime/message/json.ts";
import { encodeJson } from "../../runtime/message/json-bytes.ts";
import { isObject, type Value } from "../../runtime/message/value.ts";

/** Returns the value with its keys sorted, for `JSON.stringify`. */
function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}

function requireSame(value: Value): void {
  const expected = JSON.stringify(sorted(value));
  assert.is(Buffer.from(encodeJson(value)).toString("utf8"), expected);
  assert.is(printJson(value), expected);
}

test("numbers with few and many digits print as in JavaScript", () => {
  const rounded = fc
    .tuple(fc.double({ min: 1e-4, max: 1e10, noNaN: true }), fc.integer({ min: 1, max: 17 }))
    .map(([number, digits]) => Number(number.toPrecision(digits)));
  const scaled = fc
    .tuple(
      fc.integer({ min: 1, max: 2 ** 40 }),
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([digits, decimals, factor]) => (digits / 10 ** decimals) * factor);
  // Numbers beside powers of two have neighbours at different distances.
  const beside = fc
    .tuple(fc.integer({ min: -12, max: 31 }), fc.integer({ min: -4, max: 4 }))
    .map(([exponent, steps]) => 2 ** exponent * (1 + steps * 2 ** -53));
  const cents = fc.integer({ min: -(10 ** 9), max: 10 ** 10 }).map((number) => number / 100);
  fc.assert(
    fc.property(
      fc.oneof(
        cents,
        rounded,
        scaled,
        beside,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      (number) => {
        if (number !== 0) requireSame([number, -number]);
      },
    ),
    { seed: 7, numRuns: 10_000 },
  );
  for (const number of [0, 0.01, 0.1, 0.29, 1.15, 9.99, 10, 99.9, 1e7, 9999999.99, 1e9, 0.005, 123.456]) {
    requireSame({ number, negative: [number === 0 ? 0 : -number] });
  }
});

test("objects with the same keys in other orders, and with common key prefixes, are distinguished", () => {
  const keys = ["b", "a", "é", "a.b", "A", "", "\u{10000}", "\uffff", "c"];
  const objects = fc.shuffledSubarray(keys, { minLength: 0 }).map((chosen) => {
    return Object.fromEntries(chosen.map((key, index) => [key, index]));
  });
  fc.assert(fc.property(fc.array(objects), requireSame), { seed: 7, numRuns: 500 });
});

test("more keys, longer keys and more key sequences than cached print the same", () => {
  const many = (count: number, key: (index: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [key(count - index), index]));
  requireSame(many(200, (index) => `key${index}`));
  requireSame(many(3, (index) => "k".repeat(150) + index));
  for (let round = 0; round < 200; round++)
    requireSame(many(40, (index) => `r${(round * 7919) % 97}-${index}`));
});

test("documents larger than the buffer, and earlier results, stay intact", () => {
  const before = encodeJson({ text: "kept" });
  for (const length of [10, 33, 500, 16_000, 17_000, 100_000]) {
    requireSame({
      b: "x".repeat(length),
      a: Array.from({ length }, (_, index) => index / 4),
      text: "é\n".repeat(length),
    });
  }
  assert.is(Buffer.from(before).toString(), '{"text":"kept"}');
});

test("an unprintable number empties its own document only", () => {
  assert.is(encodeJson({ a: "text", b: Number.NaN }).length, 0);
  requireSame({ a: "text" });
});

test("nesting deeper than the stack prints", () => {
  const text = "[".repeat(20_000) + "]".repeat(20_000);
  const parsed = parseJson(Buffer.from(text));
  if ("reason" in parsed) throw new Error(parsed.reason);
  assert.is(Buffer.from(encodeJson(parsed.value)).toString("utf8"), text);
});

test.run();
