// `cache`: reads and writes a cache.

import type { Processor } from "../component/component.ts";
import { type Text, textLedBy } from "../component/text.ts";
import { type GatewayError, MappingError, toGatewayError } from "../errors.ts";
import { failuresOnce } from "../failures/source-failures.ts";
import type { Batch, Message } from "../message/message.ts";
import { durationFault, parseDuration } from "../text/duration.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { afterwards } from "./apart.ts";
import { type CacheOptions, cacheDefaults } from "./generated/cache-options.ts";
import { inTurn } from "./in-turn.ts";

/**
 * Handles one message after the other. A message continues unchanged, marked as failed, if its key exists (`add`) or
 * does not exist (`get`), if its fields cannot be computed, or if the cache cannot be reached.
 */
export function cache(options: CacheOptions): Processor {
  const { key, value, ttl } = { ...cacheDefaults, ...options };
  const outcomes = failuresOnce("asking the cache");

  function operate(batch: Batch, index: number, message: Message) {
    const name = textLedBy("key interpolation error: ", key, batch, index);
    const content = encodeUtf8(textLedBy("value interpolation error: ", value, batch, index));
    return operation(options, name, message, content, readTtl(ttl, batch, index));
  }

  return {
    process: (batch, context) =>
      inTurn(batch, (message, index) => {
        try {
          const outcome = operate(batch, index, message);
          if (!(outcome instanceof Promise)) return [outcome];
          return outcome.then(
            (changed) => {
              outcomes(context).succeeded();
              return [changed];
            },
            (error) => {
              outcomes(context).failed(error);
              return [message.withFailure(cacheFailure(error))];
            },
          );
        } catch (error) {
          return [message.withFailure(toGatewayError(error, 500, "the cache processor failed"))];
        }
      }),
  };
}

/** Returns the outcome for a message. Synchronous if the cache is. */
function operation(
  { resource, operator }: CacheOptions,
  key: string,
  message: Message,
  content: Uint8Array,
  ttl: number | undefined,
): Message | Promise<Message> {
  switch (operator) {
    case "get":
      return afterwards(resource.get(key), (found) =>
        found === undefined
          ? message.withFailure(new MappingError(`operator failed for key '${key}': key does not exist`))
          : message.withBytes(found),
      );
    case "exists":
      return afterwards(resource.get(key), (found) => message.withDocument(found !== undefined));
    case "set":
      return afterwards(resource.set(key, content, ttl), () => message);
    case "add":
      return afterwards(resource.add(key, content, ttl), (isNew) =>
        isNew ? message : message.withFailure(new MappingError(`key already exists: ${key}`)),
      );
    case "delete":
      return afterwards(resource.delete(key), () => message);
  }
}

/**
 * Returns a time to live in milliseconds; `undefined` for the default of the cache. Throws a `MappingError` if it is
 * invalid.
 */
export function readTtl(ttl: Text | undefined, batch: Batch, index: number): number | undefined {
  const text = ttl === undefined ? "" : textLedBy("ttl interpolation error: ", ttl, batch, index);
  return text === "" ? undefined : readTtlText(text, "ttl must be a duration");
}

/** Returns the milliseconds of a computed time to live. `problem` begins the text of the failure if it is invalid. */
export function readTtlText(text: string, problem: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new MappingError(`${problem}: ${durationFault(text)}`);
  return milliseconds;
}

/** Returns the failure of a message whose processor cannot reach its cache. */
export function cacheFailure(error: unknown): GatewayError {
  return toGatewayError(error, 502, "Cache unavailable");
}
