// The messages that compiled scripts run on, and the fields that generated scripts read.

import type { MessageInput } from "../../compiler/embed/messages.ts";

/** A document with a value of every kind. Generated mappings refer to its fields. */
const document = {
  text: "Hello Wörld 42",
  words: ["b", "a", "", "c"],
  n: 7,
  f: -2.5,
  big: 9007199254740993n,
  yes: true,
  nil: null,
  list: [3, 1, 2, 1],
  mixed: [1, "x", null, { a: 1 }, [true]],
  object: { a: { b: 1 }, c: [1, 2], "d e": "x", __proto: 1 },
  people: [
    { name: "ada", age: 36, tags: ["x"] },
    { name: "alan", age: 41, tags: [] },
  ],
  time: "2026-11-21T13:14:15.678Z",
  json: '{"a":[1,2.50,"x"]}',
  csv: "a,b\n1,2\n3,4",
  xml: "<a id='1'><b>2</b></a>",
  base64: "aGVsbG8=",
  hex: "68656c6c6f",
} as const;

const json = JSON.stringify(document, (_key, value) => (typeof value === "bigint" ? `#${value}#` : value));

/** Messages of different kinds: documents, other JSON, invalid JSON, an empty body, invalid UTF-8. */
export const messages: readonly MessageInput[] = [
  { content: json.replaceAll(/"#(\d+)#"/g, "$1"), metadata: { key: "value", count: 3, deep: { a: [1] } } },
  { content: '[1, -0, 1e400, 1.50, 123456789012345678901234567890, "\\ud800", {"__proto__": {"a": 1}}]' },
  { content: '"text"' },
  { content: "not json", metadata: { key: "" }, error: "it failed before" },
  { content: "" },
  { content: Uint8Array.of(0xff, 0xfe, 0x00, 0x7b) },
];

/** Queries by the kind of value that they return on the first message. */
export const sources: Readonly<Record<string, readonly string[]>> = {
  string: [
    "this.text",
    "this.time",
    "this.json",
    "this.csv",
    "this.xml",
    "this.base64",
    "this.hex",
    '""',
    '"a,b"',
  ],
  bytes: ["content()", "this.text.bytes()", '"é".bytes()'],
  number: [
    "this.n",
    "this.f",
    "this.big",
    "0",
    "-1",
    "3.5",
    "9223372036854775807",
    "this.n.int8()",
    "this.n.uint64()",
  ],
  bool: ["this.yes", "true", "false", "this.n > 3"],
  timestamp: ['this.time.ts_parse("2006-01-02T15:04:05.999Z")', "1700000000.ts_unix()", "this.n.ts_unix()"],
  array: ["this.list", "this.words", "this.mixed", "this.people", "[]", "[1, 2.0, 3]", "range(0, 4)"],
  object: ["this.object", "this", "{}", '{"a": 1, "b": [this.n]}', "@", "this.people.0"],
  null: ["null", "this.nil", "this.not_there", "deleted()", "nothing()", 'throw("x")'],
  any: [
    "this",
    "root",
    "@key",
    "@",
    "$v",
    "this.people.name",
    "error()",
    "batch_index()",
    'this.object."d e"',
  ],
};
