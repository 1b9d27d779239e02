// `schema_registry_decode` and `schema_registry_encode`: messages with the number of their schema before them (Confluent
// Platform, "Wire format"). Schemas that were asked for are kept until they are to be asked for again.

import type { ComponentContext, Processor } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { compileText, findFaults } from "../../mapping/json-schema.ts";
import { parseJson } from "../../message/json.ts";
import type { Batch, Message } from "../../message/message.ts";
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
import { throwIfStopped } from "../stopping.ts";
import { createRegistry, type RegisteredSchema } from "./registry.ts";

/** One of them. */
interface Kept<T> {
  value: T | undefined;
  /** When to ask again, in milliseconds since the epoch. */
  until: number;
  asking: Promise<T> | undefined;
}

/** How they are kept. */
interface RememberedOptions<K, T> {
  /** How many at most; the one asked for first goes. */
  readonly most: number;
  /** Milliseconds after which a schema is asked for again; the old one is used meanwhile. */
  readonly age: number;
  readonly load: (key: K) => Promise<T>;
  /** Told of a failure to ask again, while the old one stays. */
  readonly onStale: (error: unknown) => void;
}

/** Milliseconds until a schema that could not be asked for again is asked for once more. */
const pause = 10_000;

/** Values by key, each asked for once at a time. */
class Remembered<K, T> {
  readonly #kept = new Map<K, Kept<T>>();

  /** The value; rejects as `load` does where there is none yet. */
  async get(key: K, options: RememberedOptions<K, T>): Promise<T> {
    const found = this.#kept.get(key);
    const kept = found ?? { value: undefined, until: 0, asking: undefined };
    if (found === undefined) this.#add(key, kept, options.most);
    if (kept.value !== undefined && kept.until > performance.now()) return kept.value;
    if (kept.asking === undefined) {
      kept.asking = this.#ask(key, kept, options);
      // Told once, however many use the old one meanwhile.
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

/** Schemas kept at once. */
const mostSchemas = 1_000;
/** The byte of the format, and the number of a schema. */
const headLength = 5;

/** Reads each message by the schema whose number it begins with. */
export function schemaRegistryDecode(options: SchemaRegistryDecodeOptions): Processor {
  const { avro_raw_json: isRawJson } = { ...schemaRegistryDecodeDefaults, ...options };
  const registry = createRegistry(options);
  const codecs = new Remembered<number, Codec>();
  return {
    process: (batch, context) =>
      eachInTurn(batch, context, async (message) => {
        const bytes = message.bytes();
        const id = schemaIdOf(bytes);
        const codec = await codecs.get(id, {
          most: mostSchemas,
          // What a number stands for never changes.
          age: Number.POSITIVE_INFINITY,
          load: async (number) => codecOf(await registry.byId(number, requesterOf(context)), isRawJson),
          onStale: () => undefined,
        });
        return codec.decode(message, bytes.subarray(headLength));
      }),
    async close() {
      registry.close();
    },
  };
}

/** Writes each message by the latest schema of its subject, with the number of that before it. */
export function schemaRegistryEncode(options: SchemaRegistryEncodeOptions): Processor {
  const settings = { ...schemaRegistryEncodeDefaults, ...options };
  const registry = createRegistry(options);
  const subjects = new Remembered<string, { readonly id: number; readonly codec: Codec }>();
  return {
    process: (batch, context) =>
      eachInTurn(batch, context, async (message, index) => {
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
      }),
    async close() {
      registry.close();
    },
  };
}

/** The number of the schema. Throws a `MappingError` where there is none. */
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

/** A message that fails goes on as it was, flagged; what fails because the stream stops says nothing about it. */
async function eachInTurn(
  batch: Batch,
  context: ComponentContext,
  convert: (message: Message, index: number) => Promise<Message>,
): Promise<readonly Batch[]> {
  const done: Message[] = [];
  for (const [index, message] of batch.entries()) {
    try {
      done.push(await convert(message, index));
    } catch (error) {
      throwIfStopped(context.signal);
      done.push(message.withFailure(toGatewayError(error, 500, "the schema registry processor failed")));
    }
  }
  return [done];
}

/** Reads and writes what stands behind the number of a schema. Its failures are `MappingError`s. */
interface Codec {
  /** The message with what `content` says in its place. */
  decode(message: Message, content: Uint8Array): Message;
  encode(message: Message): Uint8Array;
}

/** The codec of a schema. Throws a `MappingError` where it cannot be used. */
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
  const { type } = usable(() => readAvroSchema(text, { isBare, references }));
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

/** What `read` gives. Why a schema cannot be used is a failure of the messages that need it. */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MappingError(`the registered schema cannot be used: ${error.message}`);
  }
}
