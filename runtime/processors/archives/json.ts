// Archives that are JSON: arrays, objects, documents one after the other.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Message } from "../../message/message.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { splitDocuments } from "./json-documents.ts";
import { archiving } from "./packing.ts";
import { named, type Room, unarchiving } from "./unpacking.ts";

/** An array of the documents; all of them have to be JSON. */
export function archiveJsonArray(options: ArchiveOptions): Processor {
  return archiving(options, (entries, first) =>
    first.withDocument(entries.map(({ message }) => documentOf(message, "to create a JSON array"))),
  );
}

/** Each element is a message. */
export function unarchiveJsonArray(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const elements = documentOf(message, "into JSON array");
    if (!isArray(elements)) throw new MappingError("failed to parse message into JSON array: it is none");
    return elements.map((element) => elementOf(message, element, room));
  });
}

/** Each field is a message, its name among the metadata as `archive_key`. */
export function unarchiveJsonMap(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) => {
    const fields = documentOf(message, "into JSON map");
    if (!isObject(fields)) throw new MappingError("failed to parse message into JSON map: it is none");
    return Object.entries(fields).map(([key, value]) =>
      named(elementOf(message, value, room), "archive_key", key),
    );
  });
}

/** Each of the documents that follow each other is a message, its text as it was. */
export function unarchiveJsonDocuments(options: UnarchiveOptions): Processor {
  return unarchiving(options, (message, room) =>
    splitDocuments(message.bytes()).map((bytes) => {
      room.take(bytes.length);
      const part = message.withBytes(bytes);
      documentOf(part, "into JSON documents");
      return part;
    }),
  );
}

function documentOf(message: Message, purpose: string): Value {
  const document = message.document();
  if (document !== undefined) return document;
  throw new MappingError(`failed to parse message ${purpose}: ${message.parseFailure()}`);
}

/** A text among the elements stays JSON, where a mapping that makes a text makes it the whole content. */
function elementOf(message: Message, value: Value, room: Room): Message {
  const bytes = encodeJson(value);
  room.take(bytes.length);
  return message.withBytes(bytes);
}
