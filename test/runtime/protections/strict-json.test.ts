import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseJson } from "../../../runtime/message/json.ts";
import { SourceNumber, type Value } from "../../../runtime/message/value.ts";
import { keepTexts } from "../../../runtime/protections/validation/kept-numbers.ts";
import { parseStrictJson } from "../../../runtime/protections/validation/strict-json.ts";

function parsedBy(text: string): unknown {
  const read = parseStrictJson(text);
  return "parsed" in read ? read.parsed : read.reason;
}

test("JSON without duplicate members is parsed as usual", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("", " ", "\n\t"), (text, blank) =>
      assert.equal(parsedBy(`${blank}${text}${blank}`), JSON.parse(text)),
    ),
  );
});

test("a duplicate member is found at any depth, in any spelling", () => {
  const name = fc.string({ maxLength: 5 });
  /** Writes the name of a member with escapes. */
  const escaped = (text: string) =>
    [...Array(text.length).keys()]
      .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join("");
  fc.assert(
    fc.property(
      name,
      fc.json(),
      fc.json(),
      fc.array(fc.boolean(), { maxLength: 6 }),
      (key, one, other, around) => {
        const twice = `{${JSON.stringify(key)}:${one},"${escaped(key)}" : ${other}}`;
        const text = around.reduce(
          (inner, isList) => (isList ? `[":{",${inner}]` : `{":\\"":${inner}}`),
          twice,
        );
        assert.equal(parseStrictJson(text), { reason: "has a member twice" });
      },
    ),
  );
});

function documentOf(text: string): Value | undefined {
  const bytes = Buffer.from(text);
  const read = parseStrictJson(text, bytes, true);
  if ("reason" in read || read.kept === undefined) return undefined;
  return keepTexts(read.parsed, bytes, read.kept);
}

/** Returns a text that tells numbers with their text from others, and shows the order of members. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, child) => {
    if (child instanceof SourceNumber) return `text of a number: ${child}`;
    return Object.is(child, -0) ? "negative zero" : child;
  });
}

test("a value with the texts of its numbers is the document of a message with the same content", () => {
  const numbers =
    "0 7 -5 1.0 -0 -0.0 1e5 1E+2 0.95 19.90 -1.5 0.0001 -0.0001 0.00001 0.00012 12345678901234567890 9007199254740993 999999.5 1234567.5 1234567890123 12345.95 0.30000000000000004 12.345678901234 12.345678901234567 12.3456789012345678 -0.12345678901234 0.000123456789012345 1234567.89012345";
  const texts = ['"a"', '"1.0:{"', '"\\ud83d"', '"\\uD83D\\ude00"', '"\\u0041"', '"\\\\ud83d"', '"é\\n"'];
  const long = fc
    .constantFrom(...texts)
    .map((text) => `"${"x".repeat(40)}${text.slice(1, -1)}${"y".repeat(40)}"`);
  const scalars = fc.oneof(fc.constantFrom(...numbers.split(" "), ...texts), long, fc.json());
  fc.assert(
    fc.property(fc.array(scalars, { minLength: 1, maxLength: 3 }), fc.boolean(), (elements, isAlone) => {
      const [first = "1"] = elements;
      const text = isAlone
        ? first
        : `{"a" : [${elements.join(" , ")}],"__proto__":{"b":${first}},"c":1.0, "d":[[],${first}]}`;
      const document = documentOf(text);
      if (document !== undefined)
        assert.equal(shown({ value: document }), shown(parseJson(Buffer.from(text))));
    }),
    { seed: 7, numRuns: 1000 },
  );
  const isAccepted = (text: string) => documentOf(text) !== undefined;
  const usual = ["1.10", "-0", '{"name":"A\\u0041","price":1.10}', '{"sku":"SKU-001","at":"T-0"}'];
  for (const text of [...usual, `["${"a1.0".repeat(99)}",1.0]`]) assert.is(isAccepted(text), true, text);
  const surrogates = ["\\ud83d", `${"a".repeat(99)}\\uDfff`].map((text) => `["${text}"]`);
  for (const text of [...surrogates, '{"b":1.0,"7":1.0}']) assert.is(isAccepted(text), false, text);
  assert.equal(parseStrictJson("[1.0]"), { parsed: [1], kept: undefined }, "only if they are asked for");
});

test("documents nested deeper than the stack are parsed", () => {
  const depth = 5000;
  const deep = (inner: string) => `${'{"a":['.repeat(depth)}${inner}${"]}".repeat(depth)}`;
  assert.ok("parsed" in parseStrictJson(deep("1")));
  assert.equal(parseStrictJson(deep('{"b":1,"b":2}')), { reason: "has a member twice" });
});

test.run();
