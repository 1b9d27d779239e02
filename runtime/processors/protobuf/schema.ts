// JSON Schema of the documents that messages of Protocol Buffers become.

import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { wellKnownForm } from "./well-known.ts";

type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** How the documents are written. */
export interface ProtoJsonOptions {
  readonly useProtoNames: boolean;
  /** Fields that are not set are there as well. */
  readonly isWhole: boolean;
}

/** Messages that are described at most. Those that name each other would be described in every order. */
const mostDescribed = 1_000;

/** JSON Schema of the documents of a message. Beyond a thousand messages, and within itself, a message is any object. */
export function describeProtoJson(message: DescMessage, options: ProtoJsonOptions): JsonSchema {
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
    // A value without a name is its number.
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
      // Texts, bytes in Base64, and whole numbers of 64 bits.
      return { type: "string" };
  }
}
