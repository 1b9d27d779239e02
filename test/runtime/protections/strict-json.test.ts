import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseJson } from "../../../runtime/message/json.ts";
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

test("a value is plain only if it is the document of a message with the same content", () => {
  const numbers =
    "0 7 -5 1.0 -0 -0.0 1e5 1E+2 0.95 19.90 -1.5 0.0001 -0.0001 0.00001 0.00012 12345678901234567890 9007199254740993 999999.5 1234567.5 1234567890123 12345.95 0.30000000000000004 12.345678901234 12.345678901234567 12.3456789012345678 -0.12345678901234 0.000123456789012345 1234567.89012345";
  const texts = ['"a"', '"1.0:{"', '"\\ud83d"', '"\\uD83D\\ude00"', '"\\u0041"', '"\\\\ud83d"', '"é\\n"'];
  const long = fc
    .constantFrom(...texts)
    .map((text) => `"${"x".repeat(40)}${text.slice(1, -1)}${"y".repeat(40)}"`);
  const scalars = fc.oneof(fc.constantFrom(...numbers.split(" "), ...texts), long, fc.json());
  fc.assert(
    fc.property(fc.array(scalars, { minLength: 1, maxLength: 3 }), fc.boolean(), (elements, isAlone) => {
      const text = isAlone ? (elements[0] ?? "1") : `{"a" : [${elements.join(" , ")}]}`;
      const read = parseStrictJson(text);
      if ("parsed" in read && read.isPlain)
        assert.equal(parseJson(Buffer.from(text)), { value: JSON.parse(text) }, text);
    }),
    { seed: 7 },
  );
  const isPlain = (text: string) => {
    const read = parseStrictJson(text);
    return "parsed" in read && read.isPlain;
  };
  const plain =
    "7 -5 0.95 0.0001 12345.95 1234567890123 -1.5 999999.5 12.345678901234 12.345678901234567 -0.12345678901234".split(
      " ",
    );
  const usual = [...plain, '{"name":"A\\u0041"}', '{"sku":"SKU-001","at":"T-0"}', `["${"a1.0".repeat(99)}"]`];
  for (const text of usual) assert.is(isPlain(text), true, text);
  const special = [
    "1.10",
    "-0",
    "-0.0",
    "1e5",
    "0.00001",
    "9007199254740993",
    "1234567.5",
    "1.23456789012345678",
  ];
  for (const number of special)
    for (const text of [number, `[${number}]`]) assert.is(isPlain(text), false, text);
  for (const text of ["\\ud83d", `${"a".repeat(99)}\\uDfff`]) assert.is(isPlain(`["${text}"]`), false, text);
});

test("documents nested deeper than the stack are parsed", () => {
  const depth = 5000;
  const deep = (inner: string) => `${'{"a":['.repeat(depth)}${inner}${"]}".repeat(depth)}`;
  assert.ok("parsed" in parseStrictJson(deep("1")));
  assert.equal(parseStrictJson(deep('{"b":1,"b":2}')), { reason: "has a member twice" });
});

test.run();
