// JSON as messages of Protocol Buffers (protobuf.dev, "ProtoJSON Format").

import { type DescMessage, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { MappingError } from "../../errors.ts";
import { printScalar } from "../../message/json-print.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { mostProtoDepth, ProtoBudget } from "./budget.ts";
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
