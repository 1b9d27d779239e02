import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileProto, ProtoError } from "../../../compiler/parse/protobuf/compile-proto.ts";
import { Message } from "../../../runtime/message/message.ts";
import {
  inspectProtobuf,
  protobufFromJson,
  protobufToJson,
} from "../../../runtime/processors/protobuf/protobuf.ts";
import { componentContext } from "../connectors/contexts.ts";

const wide = Array.from({ length: 60 }, (_, at) => `string f${at} = ${at + 10};`).join(" ");
const text = `syntax = "proto3"; package t;
import "google/protobuf/any.proto";
import "google/protobuf/timestamp.proto";
message Node { Node next = 1; repeated Wide wides = 2; map<string, Wide> by_name = 3; google.protobuf.Any any = 4; }
message Wide { ${wide} }
message Event { google.protobuf.Timestamp at = 1; }
message Numbers { repeated int64 longs = 1; double d = 2; float f = 3; fixed64 u = 4; }`;
const descriptors = Buffer.from(compileProto([{ name: "t.proto", text }])).toString("base64");

type Direction = typeof protobufToJson | typeof protobufFromJson;

/** Returns the result for one message: its text, or why it failed. */
async function outcome(make: Direction, message: string, content: Uint8Array): Promise<Message> {
  const operator = make === protobufToJson ? "to_json" : "from_json";
  const processor = make({ operator, message, descriptors });
  const [[result] = []] = await processor.process([Message.fromBytes(content)], componentContext());
  if (result === undefined) throw new Error("no message");
  return result;
}

const textOf = (message: Message) => Buffer.from(message.bytes()).toString();

/** Encodes a length-delimited field. */
function lengthDelimited(number: number, content: Uint8Array): Buffer {
  const length: number[] = [];
  for (let rest = content.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), content]);
}

test("numbers keep their digits in both directions", async () => {
  const json =
    '{"longs":[9223372036854775807,-9223372036854775808,"9007199254740993",1e3],"d":1e21,"f":0.1,"u":18446744073709551615}';
  const written = await outcome(protobufFromJson, "t.Numbers", Buffer.from(json));
  assert.is(written.failure, undefined);
  assert.is(
    textOf(await outcome(protobufToJson, "t.Numbers", written.bytes())),
    '{"longs":["9223372036854775807","-9223372036854775808","9007199254740993","1000"],"d":1e+21,"f":0.1,"u":"18446744073709551615"}',
  );
});

test("from_json refuses instants that no calendar has", async () => {
  const refused = [
    '{"at":"2024-02-30T00:00:00Z"}',
    '{"at":"2023-02-29T12:00:00+02:00"}',
    '{"at":"2024-04-31T00:00:00.5Z"}',
    '{"at":"2024-04-30T24:00:00Z"}',
    '{"at":"2024-13-01T00:00:00Z"}',
  ];
  for (const text of refused) {
    const result = await outcome(protobufFromJson, "t.Event", Buffer.from(text));
    assert.match(result.failure?.message ?? "", "failed to unmarshal JSON message 't.Event': ", text);
    assert.is(textOf(result), text, "it stays as it was");
  }
  const taken = '{"at":"2024-02-29T23:59:59Z"}';
  const written = await outcome(protobufFromJson, "t.Event", Buffer.from(taken));
  assert.is(written.failure, undefined);
  assert.is(textOf(await outcome(protobufToJson, "t.Event", written.bytes())), taken);
});

test("a small payload cannot expand into a large document", async () => {
  const empty = lengthDelimited(2, Buffer.alloc(0));
  const entry = lengthDelimited(3, lengthDelimited(1, Buffer.from("k")));
  const held = Buffer.concat(Array.from({ length: 20_000 }, () => empty));
  const address = lengthDelimited(1, Buffer.from("type.googleapis.com/t.Node"));
  const any = lengthDelimited(4, Buffer.concat([address, lengthDelimited(2, held)]));
  for (const part of [held, Buffer.concat(Array.from({ length: 20_000 }, () => entry)), any]) {
    const result = await outcome(protobufToJson, "t.Node", part);
    assert.match(result.failure?.message ?? "", "protobuf: the message has more fields than bytes");
    assert.equal(Buffer.from(result.bytes()), part, "it stays as it was");
  }
  const many = JSON.stringify({ wides: Array.from({ length: 20_000 }, () => ({})) });
  const result = await outcome(protobufFromJson, "t.Node", Buffer.from(many));
  assert.match(result.failure?.message ?? "", "protobuf: the message has more fields than bytes");
});

test("fields with the wire type of another kind hide nothing from the limits, and are not misread", async () => {
  const asNumber = Buffer.from([0x10, 0x00]);
  const valueAsNumber = lengthDelimited(3, Buffer.from([0x0a, 0x01, 0x6b, 0x10, 0x00]));
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ["t.Node", Buffer.concat(Array.from({ length: 20_000 }, () => asNumber))],
    ["t.Node", valueAsNumber],
    ["t.Node", Buffer.from([0x0b, 0x0c])],
    ["t.Numbers", Buffer.from([0x12, 0x00])],
    ["t.Numbers", Buffer.from([0x20, 0x05])],
    ["t.Numbers", Buffer.from([0x0b, 0x0c])],
    ["t.Wide", Buffer.from([0x50, 0x00])],
  ];
  for (const [name, bytes] of cases) {
    const { failure } = await outcome(protobufToJson, name, bytes);
    assert.match(
      failure?.message ?? "none",
      "proto: cannot parse invalid wire-format data",
      `${name} ${bytes}`,
    );
  }
  const unpackedAndPacked = Buffer.from([0x08, 0x05, 0x0a, 0x02, 0x06, 0x07]);
  assert.is(textOf(await outcome(protobufToJson, "t.Numbers", unpackedAndPacked)), '{"longs":["5","6","7"]}');
});

test("deeply nested messages and corrupt bytes fail alone", async () => {
  let deep: Uint8Array = Buffer.alloc(0);
  for (let depth = 0; depth < 300; depth++) deep = lengthDelimited(1, deep);
  assert.match((await outcome(protobufToJson, "t.Node", deep)).failure?.message ?? "", "nested too deeply");
  const json = `${'{"next":'.repeat(300)}{}${"}".repeat(300)}`;
  const written = await outcome(protobufFromJson, "t.Node", Buffer.from(json));
  assert.match(written.failure?.message ?? "", "nested too deeply");
  const broken = [
    [0x0a, 0x05],
    [0x0b],
    [0x0c],
    [0x08, 0x80],
    [0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f],
    [0x00],
    [0x07, 1],
  ];
  for (const bytes of broken) {
    const result = await outcome(protobufToJson, "t.Node", Buffer.from(bytes));
    assert.match(
      result.failure?.message ?? "",
      /^failed to unmarshal protobuf message 't\.Node': proto: cannot parse invalid wire-format data$/,
      String(bytes),
    );
  }
});

test("files of all syntaxes are compiled, and errors name their file", () => {
  const files = [
    {
      name: "a.proto",
      text: 'edition = "2023"; package e; import "b.proto"; message A { int32 n = 1 [features.field_presence = IMPLICIT]; B b = 2 [features.message_encoding = DELIMITED]; }',
    },
    {
      name: "b.proto",
      text: "package e; message B { required string s = 1; extensions 5; } extend B { optional int32 x = 5; }",
    },
  ];
  const set = Buffer.from(compileProto(files)).toString("base64");
  const { problems, produces } = inspectProtobuf({ descriptors: set, message: "e.A", operator: "to_json" });
  assert.equal(problems, []);
  const b = { type: "object", properties: { s: { type: "string" } }, additionalProperties: false };
  const properties = { n: { type: "integer" }, b };
  assert.equal(produces, { type: "object", properties, additionalProperties: false });
  const circle = ["a", "b"].map((name) => ({
    name: `${name}.proto`,
    text: `syntax = "proto3"; import "${name === "a" ? "b" : "a"}.proto";`,
  }));
  const mistakes: readonly (readonly [readonly { name: string; text: string }[], string])[] = [
    [circle, "it imports itself"],
    [
      [{ name: "a.proto", text: 'syntax = "proto3"; message A { Nope n = 1; }' }],
      "no such Type or Enum 'Nope'",
    ],
    [[{ name: "a.proto", text: "message {" }], "illegal type name"],
  ];
  for (const [given, reason] of mistakes) {
    assert.throws(
      () => compileProto(given),
      (error: unknown) => error instanceof ProtoError && error.message.includes(reason),
    );
  }
});

test.run();
