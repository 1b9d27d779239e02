// `schema_registry_decode` and `schema_registry_encode`: messages that begin with the id of their schema (Confluent
// Platform, "Wire format"). Schemas are cached until they have to be requested again.

import type { ComponentContext, Processor } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { MappingError } from "../../errors.ts";
import { compileText, findFaults } from "../../mapping/json-schema.ts";
import { parseJson } from "../../message/json.ts";
import type { Message } from "../../message/message.ts";
import { AvroReader, AvroWriter } from "../avro/binary.ts";
import { readAvroSchema } from "../avro/schema.ts";
import { asDocument, documentOf } from "../formats/converting.ts";
import {
  type SchemaRegistryDecodeOptions,
  schemaRegistryDecodeDefaults,
} from "../generated/schema-registry-decode-options.ts";
import {
  type SchemaRegistryEncodeOptions,
  schemaRegistryEncodeDefaults,
} from "../generated/schema-registry-encode-options.ts";
import { failureFor, replaceEach } from "../replace-each.ts";
import { createRegistry, type RegisteredSchema } from "./registry.ts";

/** A cached value. */
interface Kept<T> {
  value: T | undefined;
  /** When to request it again, in milliseconds since 1970. */
  until: number;
  asking: Promise<T> | undefined;
}

/** How values are cached. */
interface RememberedOptions<K, T> {
  /** The maximum number of values. The oldest one is evicted first. */
  readonly most: number;
  /** Milliseconds after which a value is requested again. Meanwhile, the old value is used. */
  readonly age: number;
  readonly load: (key: K) => Promise<T>;
  /** Called when a repeated request fails and the old value stays. */
  readonly onStale: (error: unknown) => void;
}

/** Milliseconds until a repeated request that failed is retried. */
const pause = 10_000;

/** A cache of values by key. Each value is requested only once at a time. */
class Remembered<K, T> {
  readonly #kept = new Map<K, Kept<T>>();

  /** Returns the value. Rejects like `load` if there is no value yet. */
  async get(key: K, options: RememberedOptions<K, T>): Promise<T> {
    const found = this.#kept.get(key);
    const kept = found ?? { value: undefined, until: 0, asking: undefined };
    if (found === undefined) this.#add(key, kept, options.most);
    if (kept.value !== undefined && kept.until > performance.now()) return kept.value;
    if (kept.asking === undefined) {
      kept.asking = this.#ask(key, kept, options);
      // Report the failure once, however many callers use the old value meanwhile.
      if (kept.value !== undefined) kept.asking.catch(options.onStale);
    }
    return kept.value ?? kept.asking;
  }

  #add(key: K, kept: Kept<T>, most: number): void {
    const [first] = this.#kept.keys();
    if (this.#kept.size >= most && first !== undefined) this.#kept.delete(first);
    this.#kept.set(key, kept);
  }

  async #ask(key: K, kept: Kept<T>, { load, age }: RememberedOptions<K, T>): Promise<T> {
    try {
      kept.value = await load(key);
      kept.until = performance.now() + age;
      return kept.value;
    } catch (error) {
      kept.until = performance.now() + pause;
      if (kept.value === undefined) this.#kept.delete(key);
      throw error;
    } finally {
      kept.asking = undefined;
    }
  }
}

/** The maximum number of cached schemas. */
const mostSchemas = 1_000;
const failureOf = /* @__PURE__ */ failureFor("the schema registry processor failed");
/** Length of the format byte and the id of a schema. */
const headLength = 5;

/** Decodes each message with the schema whose id it begins with. */
export function schemaRegistryDecode(options: SchemaRegistryDecodeOptions): Processor {
  const { avro_raw_json: isRawJson } = { ...schemaRegistryDecodeDefaults, ...options };
  const registry = createRegistry(options);
  const codecs = new Remembered<number, Codec>();
  return {
    process: replaceEach(async (message, context) => {
      const bytes = message.bytes();
      const id = schemaIdOf(bytes);
      const codec = await codecs.get(id, {
        most: mostSchemas,
        // The schema of an id never changes.
        age: Number.POSITIVE_INFINITY,
        load: async (number) => codecOf(await registry.byId(number, requesterOf(context)), isRawJson),
        onStale: () => undefined,
      });
      return codec.decode(message, bytes.subarray(headLength));
    }, failureOf),
    async close() {
      registry.close();
    },
  };
}

/** Encodes each message with the latest schema of its subject, after the id of the schema. */
export function schemaRegistryEncode(options: SchemaRegistryEncodeOptions): Processor {
  const settings = { ...schemaRegistryEncodeDefaults, ...options };
  const registry = createRegistry(options);
  const subjects = new Remembered<string, { readonly id: number; readonly codec: Codec }>();
  return {
    process: replaceEach(async (message, context, batch, index) => {
      const subject = textOf(options.subject, batch, index);
      const { id, codec } = await subjects.get(subject, {
        most: mostSchemas,
        age: settings.refresh_period,
        async load(name) {
          const schema = await registry.latest(name, requesterOf(context));
          return { id: schema.id, codec: codecOf(schema, settings.avro_raw_json) };
        },
        onStale: (error) => context.log.warn("a schema could not be refreshed", { error }),
      });
      const head = Buffer.alloc(headLength);
      head.writeUInt32BE(id, 1);
      return message.withBytes(Buffer.concat([head, codec.encode(message)]));
    }, failureOf),
    async close() {
      registry.close();
    },
  };
}

/** Returns the id of the schema. Throws a `MappingError` if there is none. */
function schemaIdOf(bytes: Uint8Array): number {
  const [format] = bytes;
  if (format === undefined) throw new MappingError("message is empty");
  if (format !== 0) throw new MappingError(`serialization format version number ${format} not supported`);
  if (bytes.length < headLength) throw new MappingError("message ends before the id of its schema");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUInt32BE(1);
}

function requesterOf({ log, signal }: ComponentContext) {
  return { log, signal, cut: signal };
}

/** Decodes and encodes the content after the id of a schema. Its methods throw `MappingError`s. */
interface Codec {
  /** Returns the message with the decoded `content`. */
  decode(message: Message, content: Uint8Array): Message;
  encode(message: Message): Uint8Array;
}

/** Returns the codec of a schema. Throws a `MappingError` if the schema cannot be used. */
function codecOf(schema: RegisteredSchema, isRawJson: boolean): Codec {
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
  const { type } = usable(() => readAvroSchema(text, { json: isBare ? "bare" : "tagged", references }));
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

/** Returns the result of `read`. If a schema cannot be used, the messages that need it fail. */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MappingError(`the registered schema cannot be used: ${error.message}`);
  }
}
