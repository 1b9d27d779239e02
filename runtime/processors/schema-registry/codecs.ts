// What a registered schema makes of messages.

import { MappingError } from "../../errors.ts";
import { compileText, findFaults } from "../../mapping/json-schema.ts";
import { parseJson } from "../../message/json.ts";
import type { Message } from "../../message/message.ts";
import { AvroReader, AvroWriter } from "../avro/binary.ts";
import { readAvroSchema } from "../avro/schema.ts";
import { asDocument, documentOf } from "../formats/converting.ts";
import type { RegisteredSchema } from "./registry.ts";

/** Reads and writes what stands behind the number of a schema. Its failures are `MappingError`s. */
export interface Codec {
  /** The message with what `content` says in its place. */
  decode(message: Message, content: Uint8Array): Message;
  encode(message: Message): Uint8Array;
}

/** The codec of a schema. Throws a `MappingError` where it cannot be used. */
export function codecOf(schema: RegisteredSchema, isRawJson: boolean): Codec {
  switch (schema.type) {
    case "AVRO":
      return avroCodec(schema, isRawJson);
    case "JSON":
      return jsonCodec(schema);
    default:
      throw new MappingError(`schema type ${schema.type} not supported`);
  }
}

function avroCodec({ text, references }: RegisteredSchema, isBare: boolean): Codec {
  const { type } = usable(() => readAvroSchema(text, { isBare, references }));
  return {
    decode: (message, content) => asDocument(message, type.read(new AvroReader(content))),
    encode(message) {
      const writer = new AvroWriter();
      type.write(documentOf(message), writer);
      return writer.bytes();
    },
  };
}

function jsonCodec({ text, references }: RegisteredSchema): Codec {
  if (references.length > 0) throw new MappingError("references of JSON schemas are not supported");
  const check = usable(() => compileText(text));
  const judge = (content: Uint8Array) => {
    const parsed = parseJson(content);
    if (!("value" in parsed)) throw new MappingError(`failed to parse message as JSON: ${parsed.reason}`);
    const misfit = findFaults(check, parsed.value);
    if (misfit === undefined) return;
    const reason = `json message does not conform to schema: ${misfit.reason}`;
    throw new MappingError(reason, reason, misfit.detail);
  };
  return {
    decode(message, content) {
      judge(content);
      return message.withBytes(content);
    },
    encode(message) {
      judge(message.bytes());
      return message.bytes();
    },
  };
}

/** What `read` gives. Why a schema cannot be used is a failure of the messages that need it. */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MappingError(`the registered schema cannot be used: ${error.message}`);
  }
}
