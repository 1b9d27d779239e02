// Converts messages of Protocol Buffers to JSON and back (protobuf.dev, "ProtoJSON Format").

import {
  createFileRegistry,
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
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  AnySchema,
  FileDescriptorSetSchema,
  FloatValueSchema,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import { MappingError } from "../../errors.ts";
import { printScalar, shortestFloat32 } from "../../message/json-print.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { daysInMonth } from "../../text/calendar.ts";
import { holdsAnyJson, isPrintedAlike } from "./well-known.ts";

/** The maximum nesting of messages: more than documents have, less than the stack holds. */
const mostProtoDepth = 200;

/** The maximum number of fields that take few bytes or none: a small payload can claim any number of them. */
const mostEmptyFields = 500_000;

/** Counts the fields of messages, whether they are set or not. */
class ProtoBudget {
  readonly #most: number;
  #counted = 0;

  /** `bytes`: the size of the message. */
  constructor(bytes: number) {
    this.#most = bytes + mostEmptyFields;
  }

  /** Counts a message at a depth. Throws a `MappingError` if the limit is exceeded. */
  enter(message: DescMessage, depth: number): void {
    if (depth > mostProtoDepth) throw new MappingError("protobuf: messages are nested too deeply");
    this.#counted += 1 + message.fields.length;
    if (this.#counted > this.#most)
      throw new MappingError("protobuf: the message has more fields than bytes");
  }
}

/**
 * Throws a `MappingError` if the document of `bytes` would be far larger than `bytes`: an empty message takes two
 * bytes, but has all of its fields in the document. Throws another `Error` if the bytes are not a valid message.
 */
function checkProtoSize({ message, registry }: ProtoSchema, bytes: Uint8Array): void {
  new Scan(registry, new ProtoBudget(bytes.length)).message(message, bytes, 0);
}

class Scan {
  readonly #registry: FileRegistry;
  readonly #budget: ProtoBudget;

  constructor(registry: FileRegistry, budget: ProtoBudget) {
    this.#registry = registry;
    this.#budget = budget;
  }

  message(message: DescMessage, bytes: Uint8Array, depth: number): void {
    this.#budget.enter(message, depth);
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) this.#field(message, reader, depth);
    if (message.typeName === AnySchema.typeName) this.#any(bytes, depth);
  }

  #field(message: DescMessage, reader: BinaryReader, depth: number): void {
    const [number, wireType] = reader.tag();
    const field = fieldOf(message, number);
    if (field !== undefined) checkWireType(field, wireType);
    const inner = field?.message;
    if (inner !== undefined && wireType === WireType.StartGroup) {
      this.#group(inner, number, reader, depth + 1);
    } else if (inner === undefined || wireType !== WireType.LengthDelimited) {
      // Texts, numbers and unknown fields contain no messages.
      reader.skip(wireType, number);
    } else if (field?.fieldKind === "map") {
      this.#entry(inner, reader.bytes(), depth);
    } else this.message(inner, reader.bytes(), depth + 1);
  }

  /** Reads an entry of a map whose values are messages. The value is the second field. */
  #entry(value: DescMessage, bytes: Uint8Array, depth: number): void {
    const reader = new BinaryReader(bytes);
    // An entry without the second field has an empty message.
    this.#budget.enter(value, depth + 1);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number === 2 && wireType !== WireType.LengthDelimited) throw otherWireType();
      if (number === 2) this.message(value, reader.bytes(), depth + 1);
      // The key, or an unknown field.
      else reader.skip(wireType, number);
    }
  }

  #group(message: DescMessage, number: number, reader: BinaryReader, depth: number): void {
    this.#budget.enter(message, depth);
    for (;;) {
      const start = reader.pos;
      const [other, wireType] = reader.tag();
      if (wireType === WireType.EndGroup && other === number) return;
      reader.pos = start;
      this.#field(message, reader, depth);
    }
  }

  /** Checks the content of an `Any`, which is decoded when it is printed. */
  #any(bytes: Uint8Array, depth: number): void {
    const { typeUrl, value } = fromBinary(AnySchema, bytes);
    const held = this.#registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (held !== undefined) this.message(held, value, depth + 1);
  }
}

/**
 * Throws if a field is encoded as one of another kind. The library ignores the wire type of a known field, and would read
 * what the scan skipped.
 */
function checkWireType(field: DescField, wireType: WireType): void {
  const isList = field.fieldKind === "list";
  const isPacked = isList && field.message === undefined && wireType === WireType.LengthDelimited;
  if (!isPacked && wireType !== wireTypeOf(field)) throw otherWireType();
}

function wireTypeOf(field: DescField): WireType {
  if (field.fieldKind === "map") return WireType.LengthDelimited;
  if (field.message !== undefined)
    return field.delimitedEncoding ? WireType.StartGroup : WireType.LengthDelimited;
  return field.scalar === undefined
    ? WireType.Varint
    : (scalarWireTypes.get(field.scalar) ?? WireType.Varint);
}

const scalarWireTypes: ReadonlyMap<ScalarType, WireType> = new Map([
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.SFIXED64, WireType.Bit64],
  [ScalarType.FLOAT, WireType.Bit32],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.SFIXED32, WireType.Bit32],
]);

function otherWireType(): Error {
  return new Error("a field has the wire type of another kind of field");
}

const byNumber = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldOf(message: DescMessage, number: number): DescField | undefined {
  const known = byNumber.get(message);
  if (known !== undefined) return known.get(number);
  const fields = new Map(message.fields.map((field) => [field.number, field]));
  byNumber.set(message, fields);
  return fields.get(number);
}

/**
 * Returns the bytes of a message for a document. `size`: the size of the document in bytes. Throws a `MappingError` if
 * the document does not match the schema. An unknown field is an error unless `discardUnknown` is set.
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

/** Converts documents to the form that the library reads: long numbers become texts, so that they keep their digits. */
class Preparation {
  readonly #budget: ProtoBudget;
  readonly #discardsUnknown: boolean;

  constructor(budget: ProtoBudget, discardsUnknown: boolean) {
    this.#budget = budget;
    this.#discardsUnknown = discardsUnknown;
  }

  message(message: DescMessage, value: Value, depth: number): JsonValue {
    this.#budget.enter(message, depth);
    if (message.typeName === TimestampSchema.typeName) checkInstant(value);
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

  /** Returns JSON that no field describes further. `long`: converts a number that JavaScript cannot represent. */
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

/** Throws for instants that the library moves: it takes February 30 for March 1, and 24:00 for the next day. */
function checkInstant(value: Value): void {
  if (typeof value !== "string") return;
  const [year = 0, month = 0, day = 0] = value.slice(0, 10).split("-").map(Number);
  if (day > daysInMonth(year, month) || value.slice(11, 13) === "24")
    throw new MappingError(`proto: invalid ${TimestampSchema.typeName} value ${JSON.stringify(value)}`);
}

/** A number that JavaScript would round stays a text. */
function digitsOf(text: string): JsonValue {
  const number = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;
}

/** How documents are written. */
export interface ToJsonOptions {
  /** Whether fields have the names of the schema. */
  readonly useProtoNames: boolean;
  /** Whether unset fields are included. */
  readonly emitUnpopulated: boolean;
}

/** Decodes a message. Every failure has the same text, that of the reference engine. */
function readProto(schema: ProtoSchema, bytes: Uint8Array) {
  try {
    checkProtoSize(schema, bytes);
    return fromBinary(schema.message, bytes, { readUnknownFields: false, recursionLimit: mostProtoDepth });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof MappingError) throw error;
    throw new MappingError("proto: cannot parse invalid wire-format data", error.message);
  }
}

/**
 * Returns the document of a message. Throws a `MappingError` if the bytes are invalid or the document would be too
 * large.
 */
export function protoToJson(schema: ProtoSchema, bytes: Uint8Array, options: ToJsonOptions): JsonValue {
  const { message, registry } = schema;
  const { useProtoNames: useProtoFieldName, emitUnpopulated: alwaysEmitImplicit } = options;
  try {
    const read = readProto(schema, bytes);
    const json = toJson(message, read, { registry, useProtoFieldName, alwaysEmitImplicit });
    return new Finish(registry, options).message(message, json);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const led = (reason: string) => `failed to unmarshal protobuf message '${message.typeName}': ${reason}`;
    throw new MappingError(
      led(error.message),
      led(error instanceof MappingError ? error.answer : error.message),
    );
  }
}

/** Adds what the library leaves out: the shortest text of a float32, and null for unset fields. */
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
      // In a `oneof`, at most one field is set.
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

  /** The fields of the content are next to its type URL. */
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

/** A message type, and the other types of its schema, which `google.protobuf.Any` may contain. */
export interface ProtoSchema {
  readonly message: DescMessage;
  readonly registry: FileRegistry;
}

/** Finds a message by its full name in a `FileDescriptorSet`. Throws an `Error` if it does not exist. */
export function findProtoMessage(descriptors: Uint8Array, name: string): ProtoSchema {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
  const message = registry.getMessage(name);
  if (message === undefined) throw new Error(`there is no message \`${name}\` in the schema`);
  return { message, registry };
}
