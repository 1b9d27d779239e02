import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { Message } from "../../../runtime/message/message.ts";
import {
  schemaRegistryDecode,
  schemaRegistryEncode,
} from "../../../runtime/processors/schema-registry/processors.ts";
import { basicCredentials } from "../../../runtime/requests/basic-credentials.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { componentContext } from "../connectors/contexts.ts";

const address =
  '{"type":"record","name":"Address","namespace":"shop","fields":[{"name":"city","type":"string"}]}';
const order =
  '{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"long"},{"name":"note","type":["null","string"],"default":null},{"name":"to","type":"shop.Address"}]}';
const logical = JSON.stringify({
  type: "record",
  name: "Logical",
  fields: [
    { name: "b", type: "bytes" },
    { name: "at", type: ["null", { type: "long", logicalType: "timestamp-millis" }] },
    { name: "time", type: { type: "int", logicalType: "time-millis" } },
    { name: "d", type: { type: "bytes", logicalType: "decimal", precision: 4, scale: 2 } },
  ],
});
const references = [{ name: "shop.Address", subject: "address/value", version: 1 }];

/** The latest version in the registry, whose responses follow its published API. */
let version = 1;
/** How many requests the registry fails to answer. */
let failing = 0;
const registry = await httpServer(({ path, headers }) => {
  if (path.startsWith("/guarded/") && headers.authorization !== `Basic ${btoa("me:secret")}`)
    return { status: 401 };
  if (failing > 0) {
    failing -= 1;
    return { status: 503 };
  }
  switch (path.replace("/guarded/", "/").split("?")[0]) {
    case "/schemas/ids/1":
    case "/schemas/ids/9":
      return { body: { schema: order, references } };
    case "/subjects/orders-value/versions/latest":
      return { body: { subject: "orders-value", version, id: version, schema: order, references } };
    case "/subjects/address%2Fvalue/versions/1":
      return { body: { subject: "address/value", version: 1, id: 7, schema: address } };
    case "/schemas/ids/2":
    case "/subjects/json/versions/latest":
      return { body: { id: 2, schemaType: "JSON", schema: '{"type":"object","required":["id"]}' } };
    case "/schemas/ids/3":
      return { body: { schemaType: "PROTOBUF", schema: 'syntax = "proto3";' } };
    case "/schemas/ids/4":
      return { body: { schema: '{"type":"nosuch"}' } };
    case "/schemas/ids/5":
      return { body: "no json" };
    case "/schemas/ids/8":
    case "/subjects/logical/versions/latest":
      return { body: { id: 8, schema: logical } };
    case "/schemas/ids/6":
      return { body: { schema: '"string"' } };
    default:
      return { status: 404, body: { error_code: 40403, message: "Schema not found" } };
  }
});

/** Returns the result for each message of a batch: its bytes in hexadecimal or its text, or why it failed. */
async function outcomes(
  processor: Processor,
  ...contents: (string | Uint8Array)[]
): Promise<readonly string[]> {
  const batch = contents.map((content) => Message.fromBytes(Buffer.from(content as Uint8Array)));
  const [result = []] = await processor.process(batch, componentContext());
  return result.map(
    ({ failure }, index) => failure?.message ?? Buffer.from(result[index]?.bytes() ?? []).toString("latin1"),
  );
}

const framed = (id: number, content: string) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(id, 1);
  return Buffer.concat([head, Buffer.from(content, "latin1")]);
};

test("Avro survives a round trip, including references", async () => {
  const encode = schemaRegistryEncode({ url: registry.url, subject: "orders-value" });
  const document = '{"id":9007199254740993,"note":{"string":"hi"},"to":{"city":"Rome"}}';
  const [written = ""] = await outcomes(encode, document);
  assert.is(written.slice(0, 5), "\0\0\0\0\x01");
  const decode = schemaRegistryDecode({ url: `${registry.url}/` });
  const bare = schemaRegistryDecode({ url: registry.url, avro_raw_json: true });
  const bytes = Buffer.from(written, "latin1");
  assert.equal(await outcomes(decode, bytes, bytes), [document, document]);
  assert.equal(await outcomes(bare, bytes), [document.replace('{"string":"hi"}', '"hi"')]);
  assert.is(
    registry.requests.filter(({ path }) => path === "/schemas/ids/1").length,
    2,
    "once for each processor",
  );
  for (const processor of [encode, decode, bare]) await processor.close?.();
});

test("bytes and logical types have the form of Avro's JSON encoding, and survive a round trip", async () => {
  const encode = schemaRegistryEncode({ url: registry.url, subject: "logical" });
  const decode = schemaRegistryDecode({ url: registry.url });
  const document = '{"at":{"long.timestamp-millis":123},"b":"\\u0000\xff","d":"\\u0001\xf5","time":2}';
  const [written = ""] = await outcomes(encode, Buffer.from(document));
  assert.is(written, framed(8, "\x04\0\xff\x02\xf6\x01\x04\x04\x01\xf5").toString("latin1"));
  const [read = ""] = await outcomes(decode, Buffer.from(written, "latin1"));
  assert.is(Buffer.from(read, "latin1").toString(), document);
  const lenient = '{"b":"","at":{"long.timestamp-millis":"1970-01-01T00:00:00.123Z"},"time":2,"d":5.01}';
  const [same = ""] = await outcomes(encode, lenient);
  assert.is(same, framed(8, "\0\x02\xf6\x01\x04\x04\x01\xf5").toString("latin1"));
  for (const processor of [encode, decode]) await processor.close?.();
});

test("JSON is validated against its schema in both directions", async () => {
  const encode = schemaRegistryEncode({ url: registry.url, subject: "json" });
  const decode = schemaRegistryDecode({ url: registry.url });
  const fits = '{ "id": 1.0 }';
  const [written = "", refused = ""] = await outcomes(encode, fits, "{}");
  assert.is(written, framed(2, fits).toString("latin1"));
  assert.match(refused, /^json message does not conform to schema: /);
  const [read, wrong = "", broken = ""] = await outcomes(
    decode,
    framed(2, fits),
    framed(2, "{}"),
    framed(2, "{"),
  );
  assert.is(read, fits);
  assert.match(wrong, /^json message does not conform to schema: /);
  assert.match(broken, /^failed to parse message as JSON: /);
  for (const processor of [encode, decode]) await processor.close?.();
});

test("messages that fit no schema fail alone", async () => {
  const decode = schemaRegistryDecode({ url: registry.url });
  const given = [
    "",
    "\x01abcd",
    "\0\0",
    framed(404, ""),
    framed(3, ""),
    framed(1, "\x02"),
    framed(6, "\x04ok"),
  ];
  assert.equal(await outcomes(decode, ...given), [
    "message is empty",
    "serialization format version number 1 not supported",
    "message ends before the id of its schema",
    "schema '404' not found by registry",
    "schema type PROTOBUF not supported",
    "avro: the message ends too early",
    '"ok"',
  ]);
  const [unusable = "", unreadable = ""] = await outcomes(decode, framed(4, ""), framed(5, ""));
  assert.match(unusable, /^the registered schema cannot be used: /);
  assert.is(unreadable, "The schema registry did not answer with JSON");
  await decode.close?.();
  for (const subject of ["..", ".", "\ud800", "", "a".repeat(4097), "/".repeat(1366)]) {
    const encode = schemaRegistryEncode({ url: registry.url, subject: () => subject });
    assert.equal(await outcomes(encode, "{}"), ["The computed `subject` is not the name of a subject"]);
    await encode.close?.();
  }
});

test("credentials are sent, and a 401 is not reported as a missing schema", async () => {
  const url = `${registry.url}/guarded`;
  const login = { enabled: true, username: "me", password: "secret" };
  const known = schemaRegistryDecode({ url, basic_auth: basicCredentials(login) });
  assert.equal(await outcomes(known, framed(6, "\x04ok")), ['"ok"']);
  const inAddress = schemaRegistryDecode({ url: url.replace("//", "//me:secret@") });
  assert.equal(await outcomes(inAddress, framed(6, "\x04ok")), ['"ok"']);
  const unknown = schemaRegistryDecode({ url });
  const [refused = ""] = await outcomes(unknown, framed(6, "\x04ok"));
  assert.match(refused, "(401)");
  for (const processor of [known, inAddress, unknown]) await processor.close?.();
});

test("a failing registry is asked again, and its failure is not cached", async () => {
  const decode = schemaRegistryDecode({ url: registry.url });
  const once = async () => {
    const message = Message.fromBytes(framed(6, "\x04ok"));
    return (await decode.process([message], componentContext())).flat()[0];
  };
  failing = Number.POSITIVE_INFINITY;
  assert.is((await once())?.failure?.retryable, true);
  failing = 1;
  assert.equal(await outcomes(decode, framed(6, "\x04ok")), ['"ok"']);
  await decode.close?.();
});

test("the schema of a subject is refreshed, and the old one is used meanwhile", async () => {
  const encode = schemaRegistryEncode({ url: registry.url, subject: "orders-value", refresh_period: 1 });
  const document = '{"id":1,"to":{"city":"Rome"}}';
  const idOf = async () => (await outcomes(encode, document))[0]?.charCodeAt(4);
  assert.is(await idOf(), 1);
  version = 9;
  await until(async () => (await idOf()) === 9, { what: "the new schema" });
  await registry.close();
  assert.is(await idOf(), 9);
  assert.is(await idOf(), 9);
  await encode.close?.();
});

test.run();
