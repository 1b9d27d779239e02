// `protobuf`: converts Protocol Buffers to JSON and back, and describes the documents as JSON Schema.

import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { parseJson } from "../../message/json.ts";
import { converting } from "../formats/converting.ts";
import { type ProtobufOptions, protobufDefaults } from "../generated/protobuf-options.ts";
import { type Inspected, nothingFound, type WrittenOptions } from "../inspection.ts";
import { findProtoMessage, type ProtoSchema, protoFromJson, protoToJson } from "./to-json.ts";
import { wellKnownForm } from "./well-known.ts";

type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** How the documents are written. */
interface ProtoJsonOptions {
  readonly useProtoNames: boolean;
  /** Whether unset fields are included. */
  readonly isWhole: boolean;
}

/** The maximum number of described messages. Messages that refer to each other would be described in every order. */
const mostDescribed = 1_000;

/** Returns the JSON Schema of a message's documents. Recursive messages, and those beyond the limit, are any object. */
function describeProtoJson(message: DescMessage, options: ProtoJsonOptions): JsonSchema {
  return describe(message, options, [], { described: 0 });
}

function describe(
  message: DescMessage,
  options: ProtoJsonOptions,
  above: readonly DescMessage[],
  count: { described: number },
): JsonSchema {
  const form = wellKnownForm(message);
  if (form !== undefined) return form;
  count.described += 1;
  if (count.described > mostDescribed || above.includes(message)) return { type: "object" };
  const inner = (each: DescMessage) => describe(each, options, [...above, message], count);
  const properties = message.fields.map((field) => [
    options.useProtoNames ? field.name : field.jsonName,
    describeField(field, inner, options.isWhole),
  ]);
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

function describeField(
  field: DescField,
  inner: (message: DescMessage) => JsonSchema,
  isWhole: boolean,
): JsonSchema {
  const value = schemaOfValue(field, inner);
  if (field.fieldKind === "list") return { type: "array", items: value };
  if (field.fieldKind === "map") return { type: "object", additionalProperties: value };
  return isWhole && field.fieldKind === "message" ? { anyOf: [value, { type: "null" }] } : value;
}

function schemaOfValue(field: DescField, inner: (message: DescMessage) => JsonSchema): JsonSchema {
  if (field.message !== undefined) return inner(field.message);
  if (field.enum !== undefined) {
    const isNull = field.enum.typeName === "google.protobuf.NullValue";
    // A value without a name is written as its number.
    return { type: isNull ? "null" : ["string", "integer"] };
  }
  switch (field.scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return { type: "integer" };
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      // NaN and the infinities are texts.
      return { type: ["number", "string"] };
    default:
      // Texts, bytes in Base64, and 64-bit integers.
      return { type: "string" };
  }
}

/** Converts each message from Protocol Buffers to JSON. */
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

/** Converts the document of each message to Protocol Buffers. */
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

/** Returns the problems in a schema, and the type of the resulting documents. */
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
  // The schema and the message were validated when the gateway was built.
  return findProtoMessage(Buffer.from(descriptors, "base64"), message);
}
