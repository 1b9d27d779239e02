// `avro`: Avro as JSON and back, in Avro's encodings.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import type { Message } from "../../message/message.ts";
import { asDocument, converting, documentOf, failingAs } from "../formats/converting.ts";
import { type AvroOptions, avroDefaults } from "../generated/avro-options.ts";
import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { AvroReader, AvroWriter } from "./binary.ts";
import { fingerprint } from "./canonical.ts";
import { readAvroSchema } from "./schema.ts";

/** What stands before a value in the single-object encoding, with the fingerprint of its schema behind it. */
const singleMark = /* @__PURE__ */ Uint8Array.of(0xc3, 0x01);

/** Reads each message as Avro. */
export function avroToJson(options: AvroOptions): Processor {
  const { type, head, encoding } = prepared(options);
  function decoded(message: Message) {
    if (encoding === "textual") return type.fromJson(documentOf(message));
    const bytes = message.bytes();
    if (Buffer.compare(bytes.subarray(0, head.length), head) !== 0) throw noSuchSchema(bytes, head.length);
    return type.read(new AvroReader(bytes, head.length));
  }
  return converting("avro", (message) =>
    asDocument(
      message,
      failingAs("failed to convert Avro document to JSON", () => decoded(message)),
    ),
  );
}

/** The failure of a message in the single-object encoding that begins with something else than the head. */
function noSuchSchema(bytes: Uint8Array, headLength: number): MappingError {
  const begin = Buffer.from(bytes.subarray(0, headLength));
  const isMarked = Buffer.compare(begin.subarray(0, singleMark.length), singleMark) === 0;
  const reason =
    begin.length < headLength
      ? "short buffer"
      : `unknown SOE prefix: 0x${begin.toString("hex", 0, singleMark.length)}`;
  return new MappingError(
    isMarked && begin.length === headLength
      ? `wrong codec: ${begin.readBigUInt64LE(singleMark.length)}`
      : `cannot decode buffer as single-object encoding: ${reason}`,
    "avro: the message begins with no fingerprint of this schema",
  );
}

/** Writes the document of each message as Avro. */
export function avroFromJson(options: AvroOptions): Processor {
  const { type, head, encoding } = prepared(options);
  return converting("avro", (message) => {
    const document = documentOf(message);
    return failingAs("failed to convert JSON to Avro schema", () => {
      if (encoding === "textual") return message.withBytes(Buffer.from(type.toJson(document)));
      const writer = new AvroWriter();
      writer.put(head);
      type.write(document, writer);
      return message.withBytes(writer.bytes());
    });
  });
}

function prepared(options: AvroOptions) {
  const { schema = "", encoding } = { ...avroDefaults, ...options };
  // Known to be a schema since the gateway was built.
  const { type, canonical } = readAvroSchema(schema);
  const head = encoding === "single" ? Buffer.concat([singleMark, fingerprint(canonical)]) : new Uint8Array();
  return { type, head, encoding };
}

/** Why the schema of an `avro` processor is not one, and what documents it makes of messages. */
export function inspectAvro(options: WrittenOptions): Inspected {
  const hint = "Write an Avro schema as JSON that defines all types it names.";
  const inspected = inspectText(options, "schema", (text) => readAvroSchema(text).type.schema(), hint);
  return options.operator === "to_json" ? inspected : { problems: inspected.problems };
}
