// Messages with a special JSON form (protobuf.dev, "ProtoJSON Format").

import type { DescMessage } from "@bufbuild/protobuf";

/** The JSON Schema of each form. */
const forms: Readonly<Record<string, boolean | Readonly<Record<string, unknown>>>> = {
  Any: { type: "object" },
  Timestamp: { type: "string" },
  Duration: { type: "string" },
  FieldMask: { type: "string" },
  Struct: { type: "object" },
  ListValue: { type: "array" },
  Value: true,
  DoubleValue: { type: ["number", "string"] },
  FloatValue: { type: ["number", "string"] },
  Int64Value: { type: "string" },
  UInt64Value: { type: "string" },
  Int32Value: { type: "integer" },
  UInt32Value: { type: "integer" },
  BoolValue: { type: "boolean" },
  StringValue: { type: "string" },
  BytesValue: { type: "string" },
};
const space = "google.protobuf.";

/** Returns the JSON Schema of a message with a special form; `undefined` for other messages. */
export function wellKnownForm({
  typeName,
}: DescMessage): boolean | Readonly<Record<string, unknown>> | undefined {
  const name = typeName.startsWith(space) ? typeName.slice(space.length) : "";
  return Object.hasOwn(forms, name) ? forms[name] : undefined;
}

/** Whether a message becomes an object with its fields. */
export function isPrintedAlike(message: DescMessage): boolean {
  return wellKnownForm(message) === undefined;
}

/** Whether a message contains arbitrary JSON, in which numbers are float64. */
export function holdsAnyJson({ typeName }: DescMessage): boolean {
  return ["Struct", "ListValue", "Value"].some((name) => typeName === space + name);
}
