// How much a message of Protocol Buffers makes, before it is made.

import { type DescField, type DescMessage, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { MappingError } from "../../errors.ts";
import type { ProtoSchema } from "./descriptors.ts";

/** Messages within messages at most: more than documents have, less than the stack holds. */
export const mostProtoDepth = 200;
/** Fields of messages that take few bytes or none, of which a small payload can claim any number. */
const mostEmptyFields = 500_000;

/** Counts the fields that messages have, set or not. */
export class ProtoBudget {
  readonly #most: number;
  #counted = 0;

  /** For a message that takes this many bytes. */
  constructor(bytes: number) {
    this.#most = bytes + mostEmptyFields;
  }

  /** Counts a message at a depth. Throws a `MappingError` where it is too much. */
  enter(message: DescMessage, depth: number): void {
    if (depth > mostProtoDepth) throw new MappingError("protobuf: messages are nested too deeply");
    this.#counted += 1 + message.fields.length;
    if (this.#counted > this.#most)
      throw new MappingError("protobuf: the message has more fields than bytes");
  }
}

/**
 * Throws a `MappingError` where `bytes` would become a document that is far larger, as each empty message of two bytes has
 * all of its fields; another `Error` where they are not a message.
 */
export function checkProtoSize({ message, registry }: ProtoSchema, bytes: Uint8Array): void {
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
    const inner = field?.message;
    if (inner !== undefined && wireType === WireType.StartGroup) {
      this.#group(inner, number, reader, depth + 1);
    } else if (inner === undefined || wireType !== WireType.LengthDelimited) {
      // Texts, numbers and unknown fields: no messages are in them.
      reader.skip(wireType, number);
    } else if (field?.fieldKind === "map") {
      this.#entry(inner, reader.bytes(), depth);
    } else this.message(inner, reader.bytes(), depth + 1);
  }

  /** An entry of a map of messages, which stand in its second field. */
  #entry(value: DescMessage, bytes: Uint8Array, depth: number): void {
    const reader = new BinaryReader(bytes);
    // Without its second field it has an empty message.
    this.#budget.enter(value, depth + 1);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number === 2 && wireType === WireType.LengthDelimited)
        this.message(value, reader.bytes(), depth + 1);
      // The key, or a field that entries do not have.
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

  /** What it holds is read when it is printed. */
  #any(bytes: Uint8Array, depth: number): void {
    const { typeUrl, value } = fromBinary(AnySchema, bytes);
    const held = this.#registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (held !== undefined) this.message(held, value, depth + 1);
  }
}

const byNumber = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldOf(message: DescMessage, number: number): DescField | undefined {
  const known = byNumber.get(message);
  if (known !== undefined) return known.get(number);
  const fields = new Map(message.fields.map((field) => [field.number, field]));
  byNumber.set(message, fields);
  return fields.get(number);
}
