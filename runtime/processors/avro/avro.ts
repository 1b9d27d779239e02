// `avro`: converts Avro to JSON and back, in Avro's encodings.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import type { Message } from "../../message/message.ts";
import { asDocument, converting, documentOf, failingAs } from "../formats/converting.ts";
import { type AvroOptions, avroDefaults } from "../generated/avro-options.ts";
import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { AvroReader, AvroWriter } from "./binary.ts";
import { fingerprint } from "./canonical.ts";
import { readAvroSchema } from "./schema.ts";

/** The prefix of a value in the single-object encoding. The fingerprint of its schema follows. */
const singleMark = /* @__PURE__ */ Uint8Array.of(0xc3, 0x01);

/** Converts each message from Avro to JSON. */
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

/** Returns the failure for a message in the single-object encoding that does not begin with the expected header. */
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

/** Converts the document of each message to Avro. */
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
  // The schema was validated when the gateway was built.
  const { type, canonical } = readAvroSchema(schema);
  const head = encoding === "single" ? Buffer.concat([singleMark, fingerprint(canonical)]) : new Uint8Array();
  return { type, head, encoding };
}

/** Returns the problems in the schema of an `avro` processor, and the schema of the documents that it produces. */
export function inspectAvro(options: WrittenOptions): Inspected {
  const hint = "Write an Avro schema as JSON that defines all types it names.";
  const inspected = inspectText(options, "schema", (text) => readAvroSchema(text).type.schema(), hint);
  return options.operator === "to_json" ? inspected : { problems: inspected.problems };
}
