import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseCsv } from "../../../runtime/mapping/csv.ts";
import { parseLogfmt } from "../../../runtime/mapping/logfmt.ts";
import { formatMsgpack, parseMsgpack } from "../../../runtime/mapping/msgpack.ts";
import { parseFormUrlEncoded, parseUrl } from "../../../runtime/mapping/url.ts";
import { parseXml } from "../../../runtime/mapping/xml.ts";
import { formatXml } from "../../../runtime/mapping/xml-print.ts";
import { parseYaml } from "../../../runtime/mapping/yaml.ts";
import { formatYaml } from "../../../runtime/mapping/yaml-print.ts";
import { printJson } from "../../../runtime/message/json.ts";
import {
  SizedNumber,
  SourceNumber,
  Timestamp,
  type Value,
  WholeFloat,
} from "../../../runtime/message/value.ts";

const from = "field `this.x`";
const json = (value: Value) => JSON.parse(printJson(value));

test("CSV keeps line feeds within quotes and skips blank lines", () => {
  assert.equal(parseCsv('a,b\r\n"x ""q""\nz",2\r\n\r\n3,4', from, true, ",", false), [
    { a: 'x "q"\nz', b: "2" },
    { a: "3", b: "4" },
  ]);
});

test("CSV errors name their position", () => {
  const faults = ["a,b\n1,2,3", 'a,b\n1,x"2', 'a,b\n"1"x,2', 'a\n"1\n2'].map((text) => {
    try {
      return parseCsv(text, from, true, ",", false);
    } catch (error) {
      return error instanceof Error ? error.message.slice(from.length + 2) : "";
    }
  });
  assert.equal(faults, [
    "record on line 2: wrong number of fields",
    'parse error on line 2, column 4: bare " in non-quoted-field',
    'parse error on line 2, column 3: extraneous or missing " in quoted-field',
    'record on line 2; parse error on line 3, column 2: extraneous or missing " in quoted-field',
  ]);
});

test("keys such as __proto__ are ordinary keys", () => {
  for (const value of [
    parseCsv("__proto__\nx", from, true, ",", false)[0],
    parseYaml("__proto__: x", from),
    parseXml("<__proto__>x</__proto__>", from, false),
    parseFormUrlEncoded("__proto__=x", from),
    parseLogfmt("__proto__=x", from),
    parseMsgpack(formatMsgpack(JSON.parse('{"__proto__":"x"}'), from), from),
  ]) {
    assert.equal(printJson(value ?? null), '{"__proto__":"x"}');
  }
});

test("YAML reads scalars as the reference does", () => {
  const text = "[0x1f, 010, 0b11, 1_000, 1.5, 1e3, yes, True, ~, '5', 2001-12-14, 12:30]";
  assert.equal(json(parseYaml(text, from)), [
    31,
    8,
    3,
    1000,
    1.5,
    1000,
    "yes",
    true,
    null,
    "5",
    "2001-12-14T00:00:00Z",
    "12:30",
  ]);
});

test("YAML merges maps, keys of the map itself winning", () => {
  const text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], z: 3}";
  assert.equal(json(parseYaml(text, from)).c, { x: 1, y: 1, z: 3 });
});

test("YAML that expands exponentially through aliases is rejected", () => {
  const lines = Array.from({ length: 8 }, (_, at) => {
    const item = at === 0 ? "x" : `*l${at - 1}`;
    return `l${at}: &l${at} [${Array.from({ length: 10 }, () => item).join(", ")}]`;
  });
  assert.throws(() => parseYaml(lines.join("\n"), from), /excessive aliasing/);
  assert.throws(() => parseYaml("a: &a [*a]", from), /contains itself/);
});

test("YAML output quotes strings only where necessary", () => {
  const value = {
    b10: "yes",
    b2: "it's",
    a: [1, { b: "x", c: { d: [] } }, ["y"]],
    m: "l\nm\n",
    e: "",
    t: "a\tb",
  };
  assert.is(
    Buffer.from(formatYaml(value, from)).toString(),
    [
      "a:",
      "    - 1",
      "    - b: x",
      "      c:",
      "        d: []",
      '    - - "y"',
      "b2: it's",
      'b10: "yes"',
      'e: ""',
      "m: |",
      "    l",
      "    m",
      't: "a\\tb"',
      "",
    ].join("\n"),
  );
});

test("XML parsing separates attributes, repeated elements and text", () => {
  const text = "<?xml version='1.0'?><n:r d=1><b>1</b><b>2</b> text <c/><d><![CDATA[<x>]]></d></n:r> rest";
  assert.equal(json(parseXml(text, from, true)), {
    r: { "-d": 1, b: [1, 2], "#text": "text", c: "", d: "<x>" },
  });
});

test("truncated XML is rejected", () => {
  assert.throws(
    () => parseXml("<a><b>", from, false),
    "failed to parse value as XML: XML syntax error on line 1: unexpected EOF",
  );
  assert.throws(() => parseXml("", from, false), "failed to parse value as XML: EOF");
});

test("XML output is escaped", () => {
  const value = { r: { "-id": 5, "#text": "x<y" } };
  assert.is(Buffer.from(formatXml(value, from, "  ", false)).toString(), '<r id="5">x&lt;y</r>');
});

test("MessagePack distinguishes integers from whole floats", () => {
  const value = parseMsgpack(formatMsgpack([1, new WholeFloat(1), -5, 2n ** 62n, "é"], from), from);
  assert.ok(Array.isArray(value));
  assert.is(value[0], 1);
  assert.instance(value[1], WholeFloat);
  assert.equal(value.slice(2), [-5, 2n ** 62n, "é"]);
  const read = (hex: string) => parseMsgpack(Buffer.from(hex, "hex"), from);
  const reasonOf = (hex: string) => {
    try {
      return printJson(read(hex));
    } catch (error) {
      return String(error);
    }
  };
  const reasons = ["82a161ff", "a261", "cd00", "8101a161", "81ca3f800000a161", "81c3a161"].map(reasonOf);
  assert.equal(reasons, [
    "MappingError: EOF",
    "MappingError: unexpected EOF",
    "MappingError: unexpected EOF",
    "MappingError: msgpack: invalid code=1 decoding string/bytes length",
    "MappingError: msgpack: invalid code=ca decoding string/bytes length",
    "MappingError: msgpack: invalid code=c3 decoding string/bytes length",
  ]);
  assert.equal(read("82c0c0c4016101"), { "": null, a: 1 }, "null and bytes are keys, too");
  const numbers = [
    "18446744073709551615",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
  ];
  assert.equal(
    numbers.map((text) => Buffer.from(formatMsgpack(new SourceNumber(text), from)).toString("hex")),
    ["cfffffffffffffffff", "cf8000000000000000", "cb43f0000000000000", "cbc3e0000000000000"],
  );
});

test("parsed URLs keep the raw form where decoding loses it", () => {
  assert.equal(json(parseUrl("/a%2Fb?x=1#fr%20ag", from)), {
    scheme: "",
    opaque: "",
    host: "",
    path: "/a/b",
    raw_path: "/a%2Fb",
    raw_query: "x=1",
    fragment: "fr ag",
    raw_fragment: "",
  });
  assert.throws(
    () => parseUrl("http://h:port/", from),
    `${from}: parse "http://h:port/": invalid port ":port" after host`,
  );
});

test("MessagePack keeps the types of sized numbers, and the digits of float32", () => {
  const numbers: readonly (readonly [SizedNumber, string])[] = [
    [new SizedNumber("float32", 1.5), "ca3fc00000"],
    [new SizedNumber("int8", -2), "d0fe"],
    [new SizedNumber("int16", -2), "d1fffe"],
    [new SizedNumber("int32", 70000), "d200011170"],
    [new SizedNumber("uint8", 255), "ccff"],
    [new SizedNumber("uint16", 65535), "cdffff"],
    [new SizedNumber("uint32", 4294967295), "ceffffffff"],
  ];
  for (const [number, hex] of numbers) {
    const bytes = formatMsgpack(number, from);
    assert.is(Buffer.from(bytes).toString("hex"), hex);
    assert.is(printJson(parseMsgpack(bytes, from)), String(number.valueOf()));
  }
  assert.is(printJson(parseMsgpack(Buffer.from("ca3dcccccd", "hex"), from)), "0.1");
});

test("parsers accept timestamps as strings, and name the expected type in errors", () => {
  const instant = new Timestamp(0n, 5e8, "UTC");
  assert.equal(json(parseFormUrlEncoded(instant, from)), { "1970-01-01T00:00:00.5Z": "" });
  assert.throws(() => parseFormUrlEncoded(5, from), "expected string value, got number (5)");
  assert.throws(() => parseMsgpack(5, from), "expected bytes value, got number (5)");
  assert.throws(() => parseXml(true, from, false), "expected bytes value, got bool (true)");
});

test.run();
