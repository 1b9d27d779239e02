// Code shared by processors that convert the content of each message.

import type { Processor } from "../../component/component.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";

/**
 * Replaces each message by the result of `convert`. If that fails, the message continues unchanged, marked as failed at
 * `name`.
 */
export function converting(name: string, convert: (message: Message) => Message): Processor {
  return {
    process: (batch) => [
      batch.map((message) => {
        try {
          return convert(message);
        } catch (error) {
          return message.withFailure(toGatewayError(error, 500, `${name} failed on the message`));
        }
      }),
    ],
  };
}

/** Returns the document of a message. Throws a `MappingError` that begins with `prefix` if it is not JSON. */
export function documentOf(message: Message, prefix = "failed to parse message as JSON: "): Value {
  const document = message.document();
  if (document !== undefined) return document;
  throw new MappingError(prefix + message.documentFailure());
}

/** Returns the result of `run`. The message of a `MappingError` begins with `prefix`. */
export function failingAs<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw new MappingError(`${prefix}: ${error.message}`, `${prefix}: ${error.answer}`);
  }
}

/** Returns the message with another document. A text stays a JSON string, unlike one that a mapping returns. */
export function asDocument(message: Message, document: Value): Message {
  const isScalar = typeof document === "string" || document instanceof Uint8Array;
  return isScalar ? message.withBytes(encodeJson(document)) : message.withDocument(document);
}
