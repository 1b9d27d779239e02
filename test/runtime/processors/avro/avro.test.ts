// Avro: the results of the reference's library in `cases.json`; invalid schemas; messages that claim too much.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../../runtime/errors.ts";
import { parseJsonText, printJson } from "../../../../runtime/message/json.ts";
import type { Value } from "../../../../runtime/message/value.ts";
import { AvroReader, AvroWriter } from "../../../../runtime/processors/avro/binary.ts";
import { fingerprint } from "../../../../runtime/processors/avro/canonical.ts";
import { readAvroSchema } from "../../../../runtime/processors/avro/schema.ts";

/** Bytes are in hexadecimal. */
type Case = readonly [schema: string, operator: string, encoding: string, given: string, outcome: string];

const cases: readonly Case[] = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8"));

test("values are encoded and decoded as in the reference", () => {
  for (const [schema, operator, encoding, given, outcome] of cases)
    assert.is(run(schema, operator, encoding, given), outcome, `${schema} ${operator} ${encoding} ${given}`);
});

function run(schema: string, operator: string, encoding: string, given: string): string {
  const { type } = readAvroSchema(schema);
  try {
    if (operator === "to_json")
      return `{"out":${printJson(encoding === "binary" ? decode(schema, given) : type.fromJson(documentOf(given)))}}`;
    const out = encoding === "binary" ? encode(schema, documentOf(given)) : type.toJson(documentOf(given));
    return `{"out":${printJson(out)}}`;
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return '{"error"}';
  }
}

function documentOf(text: string): Value {
  const parsed = parseJsonText(text);
  if ("reason" in parsed) throw new MappingError(parsed.reason);
  return parsed.value;
}

function decode(schema: string, hex: string): Value {
  return readAvroSchema(schema).type.read(new AvroReader(Buffer.from(hex, "hex")));
}

function encode(schema: string, value: Value): string {
  const writer = new AvroWriter();
  readAvroSchema(schema).type.write(value, writer);
  return Buffer.from(writer.bytes()).toString("hex");
}

test("encoded values decode to the original", () => {
  const schema = JSON.stringify({
    type: "record",
    name: "Order",
    fields: [
      { name: "id", type: "long" },
      { name: "tags", type: { type: "array", items: "string" } },
      { name: "counts", type: { type: "map", values: ["null", "int", "Order"] } },
    ],
  });
  const order = fc.letrec((tie) => ({
    order: fc.record(
      {
        id: fc.maxSafeInteger(),
        tags: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 3 }),
        counts: fc.dictionary(
          fc.string({ maxLength: 12 }),
          fc.oneof(
            { maxDepth: 3 },
            fc.constant(null),
            fc.integer().map((int) => ({ int })),
            tie("order").map((each) => ({ Order: each })),
          ),
          { maxKeys: 3, noNullPrototype: true },
        ),
      },
      { noNullPrototype: true },
    ),
  })).order as fc.Arbitrary<Value>;
  fc.assert(
    fc.property(order, (value) => {
      assert.is(printJson(decode(schema, encode(schema, value))), printJson(value));
      const { type } = readAvroSchema(schema);
      assert.is(printJson(type.fromJson(documentOf(type.toJson(value)))), printJson(value));
    }),
    { seed: 7, numRuns: 200 },
  );
});

test("arbitrary bytes fail only their message, and in bounded time", () => {
  const schema =
    '{"type":"record","name":"R","fields":[{"name":"n","type":["null","R",{"type":"array","items":"R"}]}]}';
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readAvroSchema(schema).type.read(new AvroReader(bytes));
      } catch (error) {
        assert.instance(error, MappingError);
      }
    }),
    { seed: 7, numRuns: 500 },
  );
  const endless: readonly (readonly [string, string, RegExp])[] = [
    [schema, "02".repeat(100_000), /nested too deeply/],
    ['{"type":"array","items":"null"}', "feffffffffffffffff01", /more elements than bytes/],
    ['"bytes"', "feffffffffffffffff01", /ends too early/],
    ['"string"', "01", /negative length/],
    ['"long"', "ff".repeat(20), /longer than 64 bits/],
  ];
  for (const [of, hex, reason] of endless)
    assert.throws(
      () => decode(of, hex),
      ({ message }: Error) => reason.test(message),
      of,
    );
});

test("invalid schemas are rejected with the reason", () => {
  const refused: readonly (readonly [string, string])[] = [
    ["{", "it is not valid JSON: unexpected EOF"],
    ['"foo"', "unknown type `foo`"],
    ['{"type":"record","name":"R","fields":[{"name":"a","type":"Foo"}]}', "unknown type `Foo`"],
    ['{"type":"enum","name":"E","symbols":[]}', "enum `E` has no `symbols`"],
    ['["int","int"]', "a union has the type `int` twice"],
    ['{"type":"record","name":"1R","fields":[]}', "a record has no valid `name`"],
    [
      '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":"x"}]}',
      "the default of the field `a` is not of its type",
    ],
    ['{"type":"array"}', "a type has no `items`"],
    ['{"type":"fixed","name":"F"}', "fixed `F` has no `size`"],
    [`${'{"type":"array","items":'.repeat(300)}"int"${"}".repeat(300)}`, "its types are nested too deeply"],
  ];
  for (const [schema, reason] of refused)
    assert.throws(
      () => readAvroSchema(schema),
      ({ message }: Error) => message === reason,
      schema,
    );
});

test("fingerprints match the specification", () => {
  assert.is(Buffer.from(fingerprint('"int"')).toString("hex"), "8f5c393f1ad57572");
  const schema =
    '{"doc":"d","type":"record","namespace":"n.s","name":"R","fields":[{"default":null,"name":"b","type":["null","R"]}]}';
  assert.is(
    readAvroSchema(schema).canonical,
    '{"name":"n.s.R","type":"record","fields":[{"name":"b","type":["null","n.s.R"]}]}',
  );
});

test.run();
