import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Message } from "../../../../runtime/message/message.ts";
import type { ParquetEncodeOptions } from "../../../../runtime/processors/generated/parquet-encode-options.ts";
import { ParquetSchemaError, readColumns } from "../../../../runtime/processors/parquet/columns.ts";
import { parquetDecode } from "../../../../runtime/processors/parquet/decode.ts";
import { parquetEncode } from "../../../../runtime/processors/parquet/encode.ts";
import { componentContext } from "../../connectors/contexts.ts";

const test = suite("parquet");

const schema: ParquetEncodeOptions["schema"] = [
  { name: "id", type: "INT64" },
  { name: "b", type: "BOOLEAN", optional: true },
  { name: "small", type: "INT8" },
  { name: "f", type: "FLOAT", optional: true },
  { name: "d", type: "DOUBLE" },
  { name: "s", type: "UTF8" },
  { name: "raw", type: "BYTE_ARRAY", optional: true },
  { name: "tags", type: "LIST", fields: [{ name: "element", type: "UTF8" }] },
  {
    name: "list",
    type: "LIST",
    optional: true,
    fields: [{ name: "element", type: "INT32", optional: true }],
  },
  {
    name: "map",
    type: "MAP",
    fields: [
      { name: "key", type: "UTF8" },
      { name: "value", type: "INT64" },
    ],
  },
  {
    name: "struct",
    type: "STRUCT",
    optional: true,
    fields: [
      { name: "x", type: "INT32" },
      { name: "inner", optional: true, fields: [{ name: "z", type: "UTF8", optional: true }] },
    ],
  },
  { name: "repeated", type: "INT32", repeated: true },
  { name: "price", type: "DECIMAL64", decimal_precision: 10, decimal_scale: 2 },
  { name: "rows", repeated: true, fields: [{ name: "q", type: "INT32" }] },
];

const documents = [
  `{"id":9007199254740993,"b":true,"small":-5,"f":1.5,"d":2.25,"s":"é","raw":"xx","tags":["a","b"],"list":[1,null,3],
    "map":{"k":1,"__proto__":2},"struct":{"x":1,"inner":{"z":"z"}},"repeated":[1,2],"price":12345,"rows":[{"q":1},{"q":2}]}`,
  '{"id":2,"tags":[],"map":{},"struct":{},"repeated":[]}',
  '{"id":3,"list":[],"struct":{"x":2,"inner":{}}}',
  "{}",
];

/** The rows that the reference reads from the file. */
const rows = [
  '{"b":true,"d":2.25,"f":1.5,"id":9007199254740993,"list":[1,null,3],"map":{"__proto__":2,"k":1},"price":123.45,"raw":"xx","repeated":[1,2],"rows":[{"q":1},{"q":2}],"s":"é","small":-5,"struct":{"inner":{"z":"z"},"x":1},"tags":["a","b"]}',
  '{"b":null,"d":0,"f":null,"id":2,"list":null,"map":{},"price":0,"raw":null,"repeated":[],"rows":[],"s":"","small":0,"struct":{"inner":null,"x":0},"tags":[]}',
  '{"b":null,"d":0,"f":null,"id":3,"list":[],"map":{},"price":0,"raw":null,"repeated":[],"rows":[],"s":"","small":0,"struct":{"inner":{"z":null},"x":2},"tags":[]}',
  '{"b":null,"d":0,"f":null,"id":0,"list":null,"map":{},"price":0,"raw":null,"repeated":[],"rows":[],"s":"","small":0,"struct":null,"tags":[]}',
];

async function encoded(options: Omit<ParquetEncodeOptions, "schema">, texts = documents) {
  const batch = texts.map((text) => Message.fromText(text));
  return (await parquetEncode({ schema, ...options }).process(batch, componentContext())).flat();
}

async function decoded(message: Message, options = {}) {
  return (await parquetDecode(options).process([message], componentContext())).flat();
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => Buffer.from(message.bytes()).toString());
}

const compressions = ["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4raw"] as const;
const encodings = ["DELTA_LENGTH_BYTE_ARRAY", "PLAIN", "RLE_DICTIONARY"] as const;

for (const default_compression of compressions)
  test(`rows survive a round trip with ${default_compression}`, async () => {
    for (const default_encoding of encodings) {
      const [file, ...others] = await encoded({ default_compression, default_encoding });
      assert.is(others.length, 0);
      assert.ok(file !== undefined);
      assert.equal(textsOf(await decoded(file, { use_parquet_list_format: false })), rows, default_encoding);
    }
  });

test("lists are decoded in the Parquet list format, unless that is off", async () => {
  const [file] = await encoded({});
  assert.ok(file !== undefined);
  const [first] = textsOf(await decoded(file));
  assert.match(first ?? "", '"list":{"list":[{"element":1},{"element":null},{"element":3}]}');
  assert.match(first ?? "", '"tags":{"list":[{"element":"a"},{"element":"b"}]}');
  assert.match(first ?? "", '"repeated":[1,2]');
});

test("a message that does not fit the schema flags the batch", async () => {
  for (const [text, reason] of [
    ["[]", "parquet: a message has to be an object"],
    ['{"id":"x"}', "parquet: `id` has to be a whole number of 64 bits"],
    ['{"id":9223372036854775808}', "parquet: `id` has to be a whole number of 64 bits"],
    ['{"small":200}', "parquet: `small` has to be a whole number of 8 bits"],
    ['{"tags":"x"}', "parquet: `tags` has to be an array"],
    ['{"map":[]}', "parquet: `map` has to be an object"],
    ['{"struct":1}', "parquet: `struct` has to be an object"],
    ['{"tags":[[]]}', "parquet: `element` has to be a text"],
  ]) {
    const messages = await encoded({}, ["{}", text ?? ""]);
    assert.equal(textsOf(messages), ["{}", text]);
    for (const { failure } of messages) assert.is(failure?.message, reason);
  }
});

test("files with too many rows, and invalid files, pass unchanged and flagged", async () => {
  const [file] = await encoded({});
  assert.ok(file !== undefined);
  const [message] = await decoded(file, { max_messages: 3 });
  assert.is(message?.failure?.message, "parquet: the file has more rows than the limit of 3");
  for (const bytes of [new Uint8Array(), Buffer.from("PAR1 no file PAR1"), file.bytes().subarray(0, -20)]) {
    const [broken, ...others] = await decoded(Message.fromBytes(bytes));
    assert.is(others.length, 0);
    assert.equal(broken?.bytes(), bytes);
    assert.ok(broken?.failure !== undefined);
  }
});

test("changing any byte fails only the message", async () => {
  const [file] = await encoded({ default_compression: "snappy" });
  assert.ok(file !== undefined);
  for (let at = 0; at < file.bytes().length; at += 7) {
    const bytes = Uint8Array.from(file.bytes());
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    for (const { failure } of await decoded(Message.fromBytes(bytes)))
      assert.ok(failure === undefined || failure.status === 422, `${at}: ${failure?.message}`);
  }
});

test("invalid schemas are rejected with the reason", () => {
  for (const [fields, reason] of [
    [[], "`schema` has no columns"],
    [
      [
        { name: "a", type: "INT32" },
        { name: "a", type: "UTF8" },
      ],
      "`schema` has the column `a` twice",
    ],
    [[{ name: "a", type: "LIST" }], "the list `a` has to have one field, its element"],
    [[{ name: "a", type: "MAP", fields: [{}, {}] }], "keys of the map `a` have to be UTF8"],
    [
      [{ name: "a", fields: [{ name: "b", type: "NOSUCH" }] }],
      "the column `b` has the unknown type `NOSUCH`",
    ],
    [
      [{ name: "a", type: "DECIMAL32", decimal_precision: 12 }],
      "the decimal `a` has to have a `decimal_precision` from 1 to 9, and a `decimal_scale` of at most that",
    ],
  ] as const)
    assert.throws(
      () => readColumns(fields),
      (error: Error) => error instanceof ParquetSchemaError && error.message === reason,
      reason,
    );
});

test.run();
