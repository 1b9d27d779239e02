import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseStrictJson } from "../../../runtime/protections/validation/strict-json.ts";

test("JSON without duplicate members is parsed as usual", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("", " ", "\n\t"), (text, blank) =>
      assert.equal(parseStrictJson(`${blank}${text}${blank}`), { parsed: JSON.parse(text) }),
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

test("documents nested deeper than the stack are parsed", () => {
  const depth = 5000;
  const deep = (inner: string) => `${'{"a":['.repeat(depth)}${inner}${"]}".repeat(depth)}`;
  assert.ok("parsed" in parseStrictJson(deep("1")));
  assert.equal(parseStrictJson(deep('{"b":1,"b":2}')), { reason: "has a member twice" });
});

test.run();
