// `protobuf`: Protocol Buffers as JSON and back.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { parseJson } from "../../message/json.ts";
import { converting } from "../formats/converting.ts";
import { type ProtobufOptions, protobufDefaults } from "../generated/protobuf-options.ts";
import { type Inspected, nothingFound, type WrittenOptions } from "../inspection.ts";
import { findProtoMessage, type ProtoSchema } from "./descriptors.ts";
import { protoFromJson } from "./from-json.ts";
import { describeProtoJson } from "./schema.ts";
import { protoToJson } from "./to-json.ts";

/** Reads each message as Protocol Buffers. */
export function protobufToJson(options: ProtobufOptions): Processor {
  const schema = schemaOf(options);
  const { use_proto_names: useProtoNames, emit_unpopulated: emitUnpopulated } = {
    ...protobufDefaults,
    ...options,
  };
  return converting("protobuf", (message) => {
    const document = protoToJson(schema, message.bytes(), { useProtoNames, emitUnpopulated });
    return message.withBytes(Buffer.from(JSON.stringify(document)));
  });
}

/** Writes the document of each message as Protocol Buffers. */
export function protobufFromJson(options: ProtobufOptions): Processor {
  const schema = schemaOf(options);
  const { discard_unknown: discardUnknown } = { ...protobufDefaults, ...options };
  return converting("protobuf", (message) => {
    const bytes = message.bytes();
    const parsed = parseJson(bytes);
    if (!("value" in parsed))
      throw new MappingError(`failed to unmarshal JSON message '${options.message}': ${parsed.reason}`);
    return message.withBytes(protoFromJson(schema, parsed.value, { size: bytes.length, discardUnknown }));
  });
}

/** What is wrong with a schema, and the type of the documents that are read. */
export function inspectProtobuf(options: WrittenOptions): Inspected {
  const { descriptors, message: name, use_proto_names, emit_unpopulated } = options;
  if (typeof descriptors !== "string" || typeof name !== "string" || name === "") return nothingFound;
  try {
    const { message } = findProtoMessage(Buffer.from(descriptors, "base64"), name);
    const isWhole = emit_unpopulated === true;
    return {
      problems: [],
      produces: describeProtoJson(message, { useProtoNames: use_proto_names === true, isWhole }),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problems: [{ field: "message", message: error.message }] };
  }
}

function schemaOf({ descriptors = "", message }: ProtobufOptions): ProtoSchema {
  // Known to be a schema with that message since the gateway was built.
  return findProtoMessage(Buffer.from(descriptors, "base64"), message);
}
