// Messages packed into one, and what is unpacked from a message.

import type { ComponentNode } from "../../parse/document/api.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { elementsOf } from "../../value-types/elements.ts";
import type { MessageType } from "../../value-types/message-type.ts";
import { anyObject, arrayOf, bytes, string, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { findField, literalText } from "../document/components.ts";
import { withMetadata } from "./message.ts";

/** The one message that `archive` makes of a batch; with flagged ones in it, nobody knows what they hold. */
export function archived({ config }: ComponentNode, message: MessageType, isMixed: boolean): MessageType {
  const format = literalText(findField(config, "format")?.value);
  if (format !== "json_array") return { ...message, content: bytes };
  return { ...message, content: arrayOf(isMixed ? unknown : documentsOf(message.content)) };
}

/** Bytes that are put among documents are read as such. */
function documentsOf(content: Type): Type {
  return alternativesOf(content).some(({ kind }) => kind === "Bytes") ? unknown : content;
}

/** One of the messages that `unarchive` makes of a message. */
export function unarchived({ config }: ComponentNode, message: MessageType): MessageType {
  const format = literalText(findField(config, "format")?.value);
  switch (format) {
    case "tar":
    case "zip":
      return { ...withMetadata(message, [["archive_filename", string]]), content: bytes };
    case "json_map":
      return { ...withMetadata(message, [["archive_key", string]]), content: unknown };
    case "json_array":
      return { ...message, content: contentOf(elementsOf(message.content)) };
    case "binary":
    case "lines":
      return { ...message, content: bytes };
    default:
      return { ...message, content: format?.startsWith("csv") === true ? anyObject : unknown };
  }
}

/** A text is a message's content as it stands, which may be JSON by itself. */
function contentOf(element: Type): Type {
  return unionOf(alternativesOf(element).map((each) => (each.kind === "String" ? bytes : each)));
}
