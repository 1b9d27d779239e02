// Messages of Protocol Buffers as JSON and back (protobuf.dev, "ProtoJSON Format").

import {
  type DescField,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { AnySchema, FloatValueSchema } from "@bufbuild/protobuf/wkt";
import { MappingError } from "../../errors.ts";
import { printScalar, shortestFloat32 } from "../../message/json-print.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { checkProtoSize, mostProtoDepth, ProtoBudget } from "./budget.ts";
import type { ProtoSchema } from "./descriptors.ts";
import { holdsAnyJson, isPrintedAlike } from "./well-known.ts";

/**
 * The bytes of a message that a document of so many bytes describes. Throws a `MappingError` where it is not of the
 * schema; a field that the message does not have is one unless `discardUnknown`.
 */
export function protoFromJson(
  { message, registry }: ProtoSchema,
  document: Value,
  { size, discardUnknown }: { readonly size: number; readonly discardUnknown: boolean },
): Uint8Array {
  const fail = (reason: string) =>
    new MappingError(`failed to unmarshal JSON message '${message.typeName}': ${reason}`);
  const prepare = new Preparation(new ProtoBudget(size), discardUnknown);
  try {
    const json = prepare.message(message, document, 0);
    const limits = { recursionLimit: mostProtoDepth };
    return toBinary(
      message,
      fromJson(message, json, { registry, ignoreUnknownFields: discardUnknown, ...limits }),
    );
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw fail(error.message);
  }
}

/** Gives documents the form that the library reads: long numbers as texts, so that they keep their digits. */
class Preparation {
  readonly #budget: ProtoBudget;
  readonly #discardsUnknown: boolean;

  constructor(budget: ProtoBudget, discardsUnknown: boolean) {
    this.#budget = budget;
    this.#discardsUnknown = discardsUnknown;
  }

  message(message: DescMessage, value: Value, depth: number): JsonValue {
    this.#budget.enter(message, depth);
    if (holdsAnyJson(message)) return this.#any(value, depth, Number);
    if (!isPrintedAlike(message) || !isObject(value)) return this.#any(value, depth, digitsOf);
    const fields = new Map(
      message.fields.flatMap((field) => [
        [field.jsonName, field],
        [field.name, field],
      ]),
    );
    const members = Object.entries(value).map(([key, each]): [string, JsonValue] => {
      const field = fields.get(key);
      if (field === undefined && !this.#discardsUnknown)
        throw new MappingError(`proto: unknown field ${JSON.stringify(key)}`);
      if (field?.message === undefined) return [key, this.#any(each, depth, digitsOf)];
      return [key, this.#inner(field.message, field.fieldKind, each, depth + 1)];
    });
    return Object.fromEntries(members);
  }

  #inner(message: DescMessage, kind: string, value: Value, depth: number): JsonValue {
    if (kind === "list" && isArray(value)) return value.map((each) => this.message(message, each, depth));
    if (kind !== "map" || !isObject(value)) return this.message(message, value, depth);
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, this.message(message, each, depth)]),
    );
  }

  /** JSON that no field describes further; `long` makes a number of one that JavaScript does not have. */
  #any(value: Value, depth: number, long: (text: string) => JsonValue): JsonValue {
    if (depth > mostProtoDepth) throw new MappingError("protobuf: messages are nested too deeply");
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (isArray(value)) return value.map((each) => this.#any(each, depth + 1, long));
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, this.#any(each, depth + 1, long)]),
      );
    }
    return typeof value === "number" ? value : long(printScalar(value));
  }
}

/** A number that JavaScript would round stays a text. */
function digitsOf(text: string): JsonValue {
  const number = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;
}

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
