import { test } from "uvu";
import * as assert from "uvu/assert";
import type { MappingError } from "../../../runtime/errors.ts";
import { partOf } from "../../../runtime/mapping/arrays.ts";
import { int64, uint64 } from "../../../runtime/mapping/casts.ts";
import { decode, encode } from "../../../runtime/mapping/encoding.ts";
import {
  escapeHtml,
  escapeUrlQuery,
  quote,
  unescapeUrlQuery,
  unquote,
} from "../../../runtime/mapping/escapes.ts";
import { format } from "../../../runtime/mapping/format.ts";
import { hash } from "../../../runtime/mapping/hashing.ts";
import { unescapeHtml } from "../../../runtime/mapping/html.ts";
import { merge } from "../../../runtime/mapping/merging.ts";
import { abs, number, range, round } from "../../../runtime/mapping/numbers.ts";
import { withoutPaths, withPaths } from "../../../runtime/mapping/objects.ts";
import { sort } from "../../../runtime/mapping/sorting.ts";
import {
  capitalize,
  indexOf,
  lowercase,
  replaceAll,
  replaceAllMany,
  split,
  trim,
  uppercase,
} from "../../../runtime/mapping/strings.ts";
import { textOf } from "../../../runtime/mapping/text.ts";
import { printJson } from "../../../runtime/message/json.ts";
import { SourceNumber, Timestamp, type Value, WholeFloat } from "../../../runtime/message/value.ts";

test("string methods follow the reference's rules, not JavaScript's", () => {
  assert.is(uppercase("straße é ǆ", ""), "STRAßE É Ǆ");
  assert.is(lowercase("İZMİR ΣΑΣ", ""), "izmir σασ");
  assert.is(trim("\u0085\ufeff x \u00a0", ""), "\ufeff x");
  assert.is(trim("!?a!b?", "", "!?"), "a!b");
  assert.is(capitalize("it's THE foo-bar", ""), "It's The Foo-Bar");
  assert.is(indexOf("é😀x", "", "x"), 6);
  assert.is(partOf("é😀x", "", 2, 6), "😀");
  assert.is(partOf("é", "", 0, 1), "\udcc3");
  assert.equal(split("a😀", "", ""), ["a", "😀"]);
  assert.is(replaceAll("$& a", "", "a", "$&"), "$& $&");
  assert.is(replaceAll("a😀", "", "", "-"), "-a-😀-");
  assert.is(replaceAllMany("a.b*", "", ["a.", "$1", "*", "a"]), "$1ba");
});

test("unquote reverses quote", () => {
  const text = 'a"\\\n\u0001\u00a0é\u2028😀\udcff';
  assert.is(quote(text, ""), '"a\\"\\\\\\n\\x01\\u00a0é\\u2028😀\\xff"');
  assert.is(unquote(quote(text, ""), ""), text);
  assert.throws(() => unquote('"a', "string literal"), "string literal: invalid syntax");
});

test("decode reverses encode", () => {
  for (const scheme of ["base64", "base64url", "base64rawurl", "hex", "ascii85", "z85"]) {
    for (const bytes of [[], [0, 0, 0, 0], [255, 254, 253, 252], [1, 2, 3, 4, 0, 0, 0, 1]]) {
      assert.equal([...decode(encode(Buffer.from(bytes), "", scheme), "", scheme)], bytes, scheme);
    }
  }
});

test("decoding failures carry the reference engine's texts, and plain texts for callers", () => {
  const cases = [
    ["base64", "a", "unexpected EOF"],
    ["base64", "abcd?", "unexpected EOF"],
    ["base64", "ab==a", "unexpected EOF"],
    ["base64", "?xyz", "illegal base64 data at input byte 0"],
    ["base64", "ab-_", "illegal base64 data at input byte 2"],
    ["base64", "ab=d", "illegal base64 data at input byte 2"],
    ["base64", "abcd====", "illegal base64 data at input byte 4"],
    ["base64", "abcdab==ab==", "illegal base64 data at input byte 8"],
    ["base64url", "abc+", "illegal base64 data at input byte 3"],
    ["base64rawurl", "abcd?", "illegal base64 data at input byte 0"],
    ["base64rawurl", "abcde", "illegal base64 data at input byte 0"],
    ["base64rawurl", "ab==", "illegal base64 data at input byte 2"],
    ["hex", "abc", "unexpected EOF"],
    ["hex", "a?", "encoding/hex: invalid byte: U+003F '?'"],
    ["hex", "é0", "encoding/hex: invalid byte: U+00C3 'Ã'"],
    ["hex", "\n0", "encoding/hex: invalid byte: U+000A"],
    ["ascii85", "abcdef", "illegal ascii85 data at input byte 1"],
    ["z85", "YW Jj", "z85: invalid input byte: U+0020 ' '"],
  ] as const;
  for (const [scheme, text, message] of cases)
    assert.throws(
      () => decode(text, "x", scheme),
      (error: MappingError) => error.message === `x: ${message}`,
    );
  const answerOf = (scheme: string, text: string) => {
    try {
      return decode(text, "x", scheme);
    } catch (error) {
      return (error as MappingError).answer;
    }
  };
  assert.is(answerOf("base64", "abcd?"), "x: the text is not base64 from byte 4 on");
  assert.is(answerOf("base64rawurl", "abcde"), "x: the text is not base64 from byte 4 on");
  assert.is(answerOf("hex", "abc"), "x: the hexadecimal text has an odd length");
});

test("format", () => {
  assert.is(format("%d|%5d|%-5d|%05d|%+d", "", 5, 42, 42, -42, 7), "5|   42|42   |-0042|+7");
  assert.is(format("%.2f|%8.3f|%e|%x", "", 1.005, 2.5, 12345.678, 255), "1.00|   2.500|1.234568e+04|ff");
  assert.is(format("%d %s %v", "", 1.5, true, null), "%!d(float64=1.5) %!s(bool=true) <nil>");
  assert.is(format("%d %d%%", "", 1), "1 %!d(MISSING)%");
  assert.is(format("%v", "", 1, "x"), "1%!(EXTRA string=x)");
  assert.is(format("%d", "", new SourceNumber("1.0")), "%!d(json.Number=1.0)");
  assert.is(format("%q|%5s|%.1s", "", "a\n", "ab", "xy"), '"a\\n"|   ab|x');
});

test("format: argument indexes, widths from arguments, and array formatting", () => {
  assert.is(format("%[2]d %[1]d|%[1]d %x", "", 10, 11), "11 10|10 b");
  assert.is(format("%*d|%-*d|%.*f", "", 4, 1, 4, 2, 1, 3.14), "   1|2   |3.1");
  assert.is(format("%[3]d %[x]d", "", 1), "%!d(BADINDEX) %!d(BADINDEX)");
  assert.is(format("%*d", "", "a", 5), "%!(BADWIDTH)5");
  assert.is(format("%s %d", "", [1, "x", null], [1, [2]]), "[%!s(int64=1) x <nil>] [1 [2]]");
  assert.is(
    format("%#v %#v", "", ["a", null], { b: 1 }),
    '[]interface {}{"a", interface {}(nil)} map[string]interface {}{"b":1}',
  );
});

test("format: flags and precision", () => {
  assert.is(
    format("% d|%+d|%+v|%.3d|%6.3d|%05s|%-05d|", "", 5, 5, 5, 5, 5, "ab", 5),
    " 5|+5|5|005|   005|000ab|5    |",
  );
  assert.is(format("%#x %#o %#b %O %U %q", "", 255, 8, 5, 8, 65, 65), "0xff 010 0b101 0o10 U+0041 'A'");
  assert.is(format("% x|%#x|%.1x", "", "hi", "hi", "hi"), "68 69|0x6869|68");
  // Halves are rounded to the even digit, but only if the exact value is a half.
  assert.is(format("%.0f %.0f %.2f %.2f %.1f", "", 0.5, 2.5, 0.125, 1.005, 0.25), "0 2 0.12 1.00 0.2");
  assert.is(format("%.3g %.3g %.2g %.0e", "", 1234.5, 100.5, 0.0000125, 15.5), "1.23e+03 100 1.3e-05 2e+01");
  assert.is(format("%+08.2f|% .1f|%G", "", 3.25, 2.5, 1e-7), "+0003.25| 2.5|1E-07");
});

test("numbers", () => {
  const shows = (value: Value, text: string) => assert.is(textOf(value), text);
  shows(abs(-9223372036854775808n, ""), "9223372036854775807");
  shows(round(-2.5, ""), "-3");
  shows(round(0.49999999999999994, ""), "0");
  shows(round(new WholeFloat(1e300), ""), "1e+300");
  shows(number("1e3", ""), "1000");
  shows(number("1000000", ""), "1e+06");
  shows(number("-inf", ""), "-Inf");
  const refused = (text: string, why: string) =>
    assert.throws(() => number(text, "field `x`"), new RegExp(`ParseFloat: parsing "${text}": ${why}$`));
  refused("", "invalid syntax");
  refused("constructor", "invalid syntax");
  refused("1e400", "value out of range");
  shows(int64("0x1F", ""), "31");
  shows(int64("-9223372036854775808", ""), "-9223372036854775808");
  shows(uint64("18446744073709551615", ""), "18446744073709551615");
  assert.throws(() => int64(12.5, ""), "value contains decimals and therefore cannot be cast as a int64");
  assert.equal(range(0, 10, 3), [0, 3, 6]);
  assert.equal(range(5, 0, -2), [5, 3]);
  assert.throws(() => range(0, 10, 0), "step must be greater than or less than 0");
});

test("objects with hostile keys", () => {
  const hostile: Value = JSON.parse('{"__proto__":{"a":1,"b":2},"x":1}');
  assert.is(
    printJson(merge(hostile, "", JSON.parse('{"__proto__":{"a":9}}'))),
    '{"__proto__":{"a":[1,9],"b":2},"x":1}',
  );
  assert.is(printJson(withoutPaths(hostile, "", "__proto__.a")), '{"__proto__":{"b":2},"x":1}');
  assert.is(printJson(withPaths(hostile, "", "__proto__.a", "constructor")), '{"__proto__":{"a":1}}');
});

test("sorting", () => {
  assert.equal(sort([10, 9, new WholeFloat(1)], "").map(textOf), ["1", "9", "10"]);
  assert.equal(sort(["\u{10000}", "\uffff", "a"], ""), ["a", "\uffff", "\u{10000}"]);
  assert.throws(
    () => sort([1, "a"], "field `this.x`"),
    "field `this.x`: expected string value, got number from sort element 0 (1)",
  );
});

test("escape methods accept bytes and timestamps", () => {
  const bytes = new TextEncoder().encode("a&b");
  assert.is(escapeHtml(bytes, ""), "a&amp;b");
  assert.is(unescapeHtml(new TextEncoder().encode("a&amp;b"), ""), "a&b");
  assert.is(escapeUrlQuery(bytes, ""), "a%26b");
  assert.is(unescapeUrlQuery(new TextEncoder().encode("a%26b"), ""), "a&b");
  assert.is(escapeUrlQuery(new Timestamp(0n, 0, "UTC"), ""), "1970-01-01T00%3A00%3A00Z");
  assert.throws(
    () => escapeHtml(5, "field `this.x`"),
    "expected string value, got number from field `this.x` (5)",
  );
});

test("keyed hash algorithms accept both spellings, and reject an empty key", () => {
  const digest = (name: string) => Buffer.from(hash("x", "", name, "k", "IEEE")).toString("hex");
  assert.is(digest("hmac-sha1"), digest("hmac_sha1"));
  assert.throws(
    () => hash("x", "", "hmac_sha1", "", "IEEE"),
    "hash algorithm hmac_sha1 requires a key argument",
  );
});

test.run();
