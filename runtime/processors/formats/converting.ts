// What processors have in common that make one content of another, message by message.

import type { Processor } from "../../component/component.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";

/** Replaces each message by what `convert` makes of it. One that it fails on goes on as it was, flagged; `name` says where. */
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

/** The document of a message; throws a `MappingError` where it is not JSON, whose text `prefix` leads. */
export function documentOf(message: Message, prefix = "failed to parse message as JSON: "): Value {
  const document = message.document();
  if (document !== undefined) return document;
  throw new MappingError(prefix + message.documentFailure());
}

/** What `run` gives; a failure of its own is led by `prefix`. */
export function failingAs<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw new MappingError(`${prefix}: ${error.message}`, `${prefix}: ${error.answer}`);
  }
}

/** The message with a document in its place; a text stays a text of JSON, unlike one that a mapping makes. */
export function asDocument(message: Message, document: Value): Message {
  const isScalar = typeof document === "string" || document instanceof Uint8Array;
  return isScalar ? message.withBytes(encodeJson(document)) : message.withDocument(document);
}
