import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { escapeHtmlCharacters, parseJson, parseJsonText, printJson } from "../../runtime/message/json.ts";
import { printJsonIndented } from "../../runtime/message/json-print.ts";
import { SourceNumber, Timestamp, Unsigned, type Value, WholeFloat } from "../../runtime/message/value.ts";
import { compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from "../../runtime/text/utf8.ts";

function parsed(text: string): Value {
  const result = parseJson(Buffer.from(text));
  if ("reason" in result) throw new Error(result.reason);
  return result.value;
}

function reason(text: string): string {
  const result = parseJson(Buffer.from(text));
  return "reason" in result ? result.reason : "no failure";
}

test("numbers keep their text", () => {
  const numbers = ["1.0", "1e5", "-0", "-0.0", "12345678901234567890", "9007199254740993", "1.10", "0.00001"];
  numbers.push(
    "2.5E-3",
    "1234567.5",
    "1e400",
    "123456.7890123456789",
    "0.1",
    "-5",
    "0",
    "100",
    "1.5",
    "-1E2",
  );
  for (const number of numbers) {
    assert.is(printJson(parsed(number)), number);
    for (const shape of [
      `[${number}]`,
      `{"a":${number}}`,
      `{"a":[1,${number},"x"],"b":-${number.replace("-", "")}}`,
    ]) {
      assert.is(printJson(parsed(shape)), shape);
      assert.is(printJson(parsed(shape.replaceAll(/([[,:])/g, "$1\n "))), shape);
    }
  }
  assert.instance(parsed("1.0"), SourceNumber);
  assert.is(parsed(" 15 "), 15);
});

test("fractions of many digits keep their text only if JavaScript prints another one", () => {
  const double = fc
    .tuple(fc.integer({ min: -4, max: 5 }), fc.integer({ min: 0, max: 2 ** 52 }))
    .map(([exponent, digits]) => (1 + digits / 2 ** 52) * 10 ** exponent);
  // Numbers beside powers of two have neighbours at different distances.
  const beside = fc
    .tuple(fc.integer({ min: -13, max: 19 }), fc.integer({ min: -4, max: 4 }))
    .map(([exponent, steps]) => 2 ** exponent * (1 + steps * 2 ** -53));
  const spellings = fc
    .tuple(fc.oneof(double, beside), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 10, max: 22 }))
    .map(([value, digit, precision]) => [
      String(value),
      value.toPrecision(precision),
      value.toFixed(precision),
      `${String(value).slice(0, -1)}${digit}`,
      `${value}${digit}`,
    ])
    .chain((texts) => fc.constantFrom(...texts))
    .filter((text) => text.includes(".") && !text.includes("e"));
  fc.assert(
    fc.property(spellings, fc.constantFrom("", "-"), (text, sign) => {
      const number = Number(`${sign}${text}`);
      const isKept =
        String(number) !== `${sign}${text}` || Math.abs(number) >= 1e6 || Math.abs(number) < 1e-4;
      const [element = null] = parsed(`[${sign}${text}]`) as Value[];
      assert.is(element instanceof SourceNumber, isKept, text);
      assert.is(String(element), `${sign}${text}`);
    }),
    { seed: 7, numRuns: 10_000 },
  );
});

test("invalid numbers are rejected, also those whose digits would be kept", () => {
  for (const text of [
    "[019.90]",
    '{"a":-01.50}',
    "{1.50:2}",
    "{1.50 :2}",
    "[1.50.0]",
    "[00]",
    "[1.e5]",
    "[-]",
  ]) {
    assert.throws(() => JSON.parse(text), SyntaxError);
    assert.match(reason(text), "parse as json");
  }
});

test("strings that look like special numbers stay strings", () => {
  const text = '{"a":"1.0","b":"x: 1e5, 2.50}","c":"\\"1.0\\\\","d":1.0,"e":"\\ue000\\\\\\"","f":"\ue001"}';
  const value = parsed(text);
  assert.equal(
    { ...(value as object), d: null },
    {
      a: "1.0",
      b: "x: 1e5, 2.50}",
      c: '"1.0\\',
      d: null,
      e: '\ue000\\"',
      f: "\ue001",
    },
  );
  assert.instance((value as { d: Value }).d, SourceNumber);
});

test("keys are printed in byte order, for all names", () => {
  assert.is(printJson(parsed('{"b":1,"a":{"9":1,"10":2},"A":0}')), '{"A":0,"a":{"10":2,"9":1},"b":1}');
  assert.is(printJson({ "\u{10000}": 1, "\uffff": 2, a: 3 }), '{"a":3,"\uffff":2,"\u{10000}":1}');
  const hostile = '{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3,"toString":4}';
  assert.is(printJson(parsed(hostile)), hostile);
  assert.is(printJson(parsed('{"z":1,"__proto__":1.0}')), '{"__proto__":1.0,"z":1}');
});

test("characters are escaped as in the reference", () => {
  assert.is(
    printJson('<&>\u007f"\\\n\b\f\u0001\u2028\u2029é😀'),
    '"<&>\u007f\\"\\\\\\n\\b\\f\\u0001\\u2028\\u2029é😀"',
  );
  assert.is(printJson({ "\u2028": "\u2029" }), '{"\\u2028":"\\u2029"}');
  assert.is(printJson(["\udcff\\udcff"]), '["\\ufffd\\\\udcff"]');
  assert.is(printJson(parsed('"\\ud83d\\ude00 \\udc80"')), '"😀 \ufffd"');
  assert.is(escapeHtmlCharacters('"<a&b>"'), '"\\u003ca\\u0026b\\u003e"');
});

test("special numbers, bytes and timestamps are printed", () => {
  assert.is(
    printJson([new WholeFloat(5), new WholeFloat(-0), new WholeFloat(1e21), 1e-7]),
    "[5,-0,1e+21,1e-7]",
  );
  assert.is(
    printJson([new Unsigned(2n ** 64n - 1n), 2n ** 60n]),
    "[18446744073709551615,1152921504606846976]",
  );
  assert.is(printJson({ b: Buffer.from("hi?>") }), '{"b":"aGk/Pg=="}');
  assert.is(printJson(new Timestamp(1597405526n, 500_000_000, "UTC")), '"2020-08-14T11:45:26.5Z"');
  assert.is(printJson([1, { a: Number.NaN }]), "");
  assert.is(printJson(Number.POSITIVE_INFINITY), "");
});

test("documents are printed indented", () => {
  assert.is(
    printJsonIndented({ b: [1, []], a: {} }, "  "),
    '{\n  "a": {},\n  "b": [\n    1,\n    []\n  ]\n}',
  );
});

test("errors have the wording of the reference", () => {
  assert.is(reason(""), "message is empty");
  const at = (text: string) => reason(text).replace("parse as json: ", "");
  assert.is(at("{@#$ not valid json"), "invalid character '@' looking for beginning of object key string");
  assert.is(at("not json"), "invalid character 'o' in literal null (expecting 'u')");
  assert.is(at(" \t\r\n"), "EOF");
  assert.is(at("{"), "unexpected EOF");
  assert.is(at('{"a" 1}'), "invalid character '1' after object key");
  assert.is(at('{"a":1 "b"}'), "invalid character '\"' after object key:value pair");
  assert.is(at("[1 2]"), "invalid character '2' after array element");
  assert.is(at("[1,]"), "invalid character ']' looking for beginning of value");
  assert.is(at("[01]"), "invalid character '1' after array element");
  assert.is(at('["\\x"]'), "invalid character 'x' in string escape code");
  assert.is(at("[\x1f]"), "invalid character '\\x1f' looking for beginning of value");
  assert.is(at('["\x07"]'), "invalid character '\\a' in string literal");
  assert.is(at("[\\]"), "invalid character '\\\\' looking for beginning of value");
  assert.is(at("{} {}"), "message contains multiple valid documents");
  assert.is(at("{} {} 3 x"), "message contains multiple valid documents");
  assert.is(at("1,2"), "invalid character ',' looking for beginning of value");
  assert.is(at("1 2 x"), "invalid character 'x' looking for beginning of value");
  assert.is(at("{} ["), "unexpected EOF");
  assert.is(at("☃"), "invalid character 'â' looking for beginning of value");
  const bytes = parseJson(Buffer.from([0x31, 0xc8, 0x81]));
  assert.equal(bytes, { reason: "parse as json: invalid character 'È' looking for beginning of value" });
  const control = parseJson(Buffer.from([0x81]));
  assert.equal(control, {
    reason: "parse as json: invalid character '\\u0081' looking for beginning of value",
  });
  assert.is(at("[1.e5]"), "invalid character 'e' after decimal point in numeric literal");
  assert.is(at("[1.0.0]"), "invalid character '.' after array element");
});

test("deep nesting is parsed and printed without overflow", () => {
  const depth = 100_000;
  const text = `${"[".repeat(depth)}1.0${"]".repeat(depth)}`;
  assert.is(printJson(parsed(text)), text);
  assert.is(reason("[".repeat(depth)), "parse as json: unexpected EOF");
  const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  assert.is(printJson(parsed(objects)), objects);
});

test("long numbers are parsed in time linear in their length", () => {
  const started = process.cpuUsage();
  for (const digits of ["7", "0"]) {
    for (const start of ["0.", "1.", "1", "-1.1e"]) {
      const number = start + digits.repeat(300_000);
      assert.is(printJson(parsed(`{"a":${number}}`)), `{"a":${number}}`);
    }
  }
  // Each digit after the point was looked at again from every sixteenth one: 36 s for one of these numbers.
  const { user } = process.cpuUsage(started);
  assert.ok(user < 3_000_000, `${user} µs`);
});

test("agrees with JavaScript on values that need nothing special", () => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b));
    return { entries: entries.map(([key, child]) => [key, sorted(child)]) };
  };
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      const again = parsed(printJson(parsed(text)));
      assert.equal(sorted(plain(again)), sorted(plain(parsed(text))));
      assert.is(printJson(again), printJson(parsed(text)));
      assert.equal(
        plain(parsed(text)),
        JSON.parse(text, (_, child) => (Object.is(child, -0) ? 0 : child)),
      );
    }),
    { seed: 7 },
  );
});

test("rejects what JavaScript rejects", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "1",
    "0",
    "-",
    ".",
    "e",
    "+",
    "\\",
    " ",
    "true",
    "a",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      let fine = true;
      try {
        JSON.parse(text);
      } catch {
        fine = false;
      }
      assert.is("value" in parseJsonText(text), fine, text);
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test("bytes survive conversion to text and back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      const text = decodeUtf8(bytes);
      assert.equal([...encodeUtf8(text)], [...bytes]);
      assert.is(utf8Length(text), bytes.length);
    }),
    { seed: 7 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 }), (a, b) => {
      assert.is(Math.sign(compareUtf8(decodeUtf8(a), decodeUtf8(b))), Buffer.compare(a, b));
    }),
    { seed: 7 },
  );
});

/** Converts source numbers to JavaScript numbers, so that values can be compared. */
function plain(value: Value): unknown {
  if (value instanceof SourceNumber) return Number(value.toString()) + 0;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child)]));
}

test.run();
