// Messages of Protocol Buffers as JSON (protobuf.dev, "ProtoJSON Format").

import {
  type DescField,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { AnySchema, FloatValueSchema } from "@bufbuild/protobuf/wkt";
import { MappingError } from "../../errors.ts";
import { shortestFloat32 } from "../../message/json-print.ts";
import { checkProtoSize, mostProtoDepth } from "./budget.ts";
import type { ProtoSchema } from "./descriptors.ts";
import { isPrintedAlike } from "./well-known.ts";

/** How documents are written. */
export interface ToJsonOptions {
  /** Fields have the names of the schema. */
  readonly useProtoNames: boolean;
  /** Fields that are not set are written as well. */
  readonly emitUnpopulated: boolean;
}

/** The document of a message. Throws a `MappingError` where the bytes are none, or make far too much. */
export function protoToJson(schema: ProtoSchema, bytes: Uint8Array, options: ToJsonOptions): JsonValue {
  const { message, registry } = schema;
  const { useProtoNames: useProtoFieldName, emitUnpopulated: alwaysEmitImplicit } = options;
  try {
    checkProtoSize(schema, bytes);
    const read = fromBinary(message, bytes, { readUnknownFields: false, recursionLimit: mostProtoDepth });
    const json = toJson(message, read, { registry, useProtoFieldName, alwaysEmitImplicit });
    return new Finish(registry, options).message(message, json);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MappingError(`failed to unmarshal protobuf message '${message.typeName}': ${error.message}`);
  }
}

/** What the library leaves out: the shortest text of a float32, and null for what is not set. */
class Finish {
  readonly #registry: FileRegistry;
  readonly #options: ToJsonOptions;

  constructor(registry: FileRegistry, options: ToJsonOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  message(message: DescMessage, json: JsonValue): JsonValue {
    if (message.typeName === FloatValueSchema.typeName) return shortest(json);
    if (!isPlain(json)) return json;
    if (message.typeName === AnySchema.typeName) return this.#any(json);
    return isPrintedAlike(message) ? Object.fromEntries(this.#members(message, json)) : json;
  }

  #members(message: DescMessage, json: JsonObject): readonly [string, JsonValue][] {
    return message.fields.flatMap((field): [string, JsonValue][] => {
      const name = this.#options.useProtoNames ? field.name : field.jsonName;
      const value = Object.hasOwn(json, name) ? json[name] : undefined;
      if (value !== undefined) return [[name, this.#field(field, value)]];
      // Of some fields one at most is set.
      const isOptional = field.oneof !== undefined || field.proto.proto3Optional;
      return isOptional || !this.#options.emitUnpopulated ? [] : [[name, null]];
    });
  }

  #field(field: DescField, value: JsonValue): JsonValue {
    const one = (each: JsonValue) =>
      field.message === undefined ? this.#scalar(field, each) : this.message(field.message, each);
    if (field.fieldKind === "list" && Array.isArray(value)) return value.map(one);
    if (field.fieldKind !== "map" || !isPlain(value)) return one(value);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, one(each)]));
  }

  #scalar({ scalar }: DescField, value: JsonValue): JsonValue {
    return scalar === ScalarType.FLOAT ? shortest(value) : value;
  }

  /** Its fields stand beside the address of its type. */
  #any(json: JsonObject): JsonValue {
    const { "@type": address, ...rest } = json;
    if (typeof address !== "string") return json;
    const held = this.#registry.getMessage(address.slice(address.lastIndexOf("/") + 1));
    if (held === undefined) return json;
    if (!isPrintedAlike(held)) return { ...json, value: this.message(held, json.value ?? null) };
    return Object.fromEntries([["@type", address], ...this.#members(held, rest)]);
  }
}

function shortest(value: JsonValue): JsonValue {
  return typeof value === "number" ? Number(shortestFloat32(value)) : value;
}

function isPlain(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
