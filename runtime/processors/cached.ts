// `cached`: caches the results of processors.

import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { textLedBy } from "../component/text.ts";
import { MappingError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { warnOfMessages } from "../failures/failure-log.ts";
import type { Batch, Message } from "../message/message.ts";
import { cacheFailure, readTtlText } from "./cache.ts";
import type { CachedOptions } from "./generated/cached-options.ts";
import { queryTrue } from "./mapping.ts";

/**
 * Handles each message separately, with its own fields. If the cache has a result for its key, the result has the
 * cached contents with the metadata of this message. Otherwise, the processors run. A result with a failed message, or
 * one for which `skip_on` is true, is not cached. If reading the cache fails, the message continues unchanged, marked
 * as failed. If writing fails, the result continues.
 */
export function cached(options: CachedOptions): Processor {
  async function work(message: Message, context: ComponentContext) {
    const batch: Batch = [message];
    const key = textLedBy("failed to interpolate key expression: ", options.key, batch, 0);
    const ttl =
      options.ttl === undefined
        ? undefined
        : readTtlText(
            textLedBy("failed to interpolate ttl expression: ", options.ttl, batch, 0),
            "failed to parse ttl expression",
          );
    const known = await read(options, key);
    if (known !== undefined) return fromContents(message, known);
    const results = (await runProcessors(options.processors, [batch], context)).flat();
    if (isKept(options, results)) await write(options, key, results, ttl, context);
    return results;
  }

  return {
    async process(batch, context) {
      const passed: Message[] = [];
      for (const message of batch) {
        try {
          passed.push(...(await work(message, context)));
        } catch (error) {
          if (context.signal.aborted) throw error;
          passed.push(message.withFailure(toGatewayError(error, 500, "the cached processor failed")));
        }
      }
      return passed.length === 0 ? [] : [passed];
    },
    close: () => closeProcessors(options.processors),
  };
}

async function read({ cache }: CachedOptions, key: string): Promise<Uint8Array | undefined> {
  try {
    return await cache.get(key);
  } catch (error) {
    throw cacheFailure(error);
  }
}

function fromContents(message: Message, known: Uint8Array): readonly Message[] {
  const contents = decodeContents(known);
  if (typeof contents === "string") {
    throw new MappingError(
      `failed to parse cached result, this indicates the data was not set by this processor: ${contents}`,
      "the value in the cache was not written by `cached`",
    );
  }
  return contents.map((content) => message.withBytes(content));
}

/** Whether to cache a result. If the check fails, the result is not cached, as a precaution. */
function isKept({ skip_on: skipOn }: CachedOptions, results: Batch): boolean {
  if (results.some(({ failure }) => failure !== undefined)) return false;
  if (skipOn === undefined || results.length === 0) return true;
  try {
    return !queryTrue(skipOn, results, 0);
  } catch (error) {
    if (error instanceof MappingError) return false;
    throw error;
  }
}

async function write(
  { cache }: CachedOptions,
  key: string,
  results: Batch,
  ttl: number | undefined,
  context: ComponentContext,
): Promise<void> {
  try {
    await cache.set(key, encodeContents(results.map((result) => result.bytes())), ttl);
  } catch (error) {
    const failure = toGatewayError(error, 500, "Internal error");
    warnOfMessages(context, "result not written to the cache", results.length, {
      ...describeFailure(failure),
    });
  }
}

const version = 1;
const wordBytes = 4;

/** Encodes the contents as one value. */
export function encodeContents(contents: readonly Uint8Array[]): Uint8Array {
  const total = contents.reduce((sum, { length }) => sum + wordBytes + length, 2 * wordBytes);
  const encoded = new Uint8Array(total);
  const view = new DataView(encoded.buffer);
  view.setUint32(0, version);
  view.setUint32(wordBytes, contents.length);
  let at = 2 * wordBytes;
  for (const content of contents) {
    view.setUint32(at, content.length);
    encoded.set(content, at + wordBytes);
    at += wordBytes + content.length;
  }
  return encoded;
}

/** Decodes the contents in a value. Returns the reason in the words of the reference engine if it has another format. */
export function decodeContents(encoded: Uint8Array): readonly Uint8Array[] | string {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const tooSmall = (part: string) => `failed to extract ${part}: message is too small to extract number`;
  if (encoded.length < wordBytes) return tooSmall("serialisation format version");
  if (view.getUint32(0) !== version) return `invalid format version: ${view.getUint32(0)}`;
  if (encoded.length < 2 * wordBytes) return tooSmall("batch size");
  const contents: Uint8Array[] = [];
  let at = 2 * wordBytes;
  for (let left = view.getUint32(wordBytes); left > 0; left--) {
    const size = `message ${contents.length} size`;
    if (at + wordBytes > encoded.length) return tooSmall(size);
    const end = at + wordBytes + view.getUint32(at);
    if (end > encoded.length) return `failed to extract ${size}: input data ended unexpectedly`;
    contents.push(encoded.subarray(at + wordBytes, end));
    at = end;
  }
  return contents;
}
