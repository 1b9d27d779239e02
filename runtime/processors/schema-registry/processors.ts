// `schema_registry_decode` and `schema_registry_encode`: messages with the number of their schema before them (Confluent
// Platform, "Wire format").

import type { ComponentContext, Processor } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message/message.ts";
import {
  type SchemaRegistryDecodeOptions,
  schemaRegistryDecodeDefaults,
} from "../generated/schema-registry-decode-options.ts";
import {
  type SchemaRegistryEncodeOptions,
  schemaRegistryEncodeDefaults,
} from "../generated/schema-registry-encode-options.ts";
import { throwIfStopped } from "../stopping.ts";
import { type Codec, codecOf } from "./codecs.ts";
import { createRegistry } from "./registry.ts";
import { Remembered } from "./remembered.ts";

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
