// What processors make of a message that run neither scripts on it nor other processors.

import type { ComponentNode } from "../../parse/document/api.ts";
import { anyMessage, type MessageType } from "../../value-types/message-type.ts";
import { bytes, string, type Type, unknown } from "../../value-types/type.ts";
import { findField, literalText } from "../document/components.ts";
import type { FlowContext } from "./context.ts";
import { replyMessage } from "./input-message.ts";
import { joinMessages, withMetadata } from "./message.ts";

/** Processors that leave the messages they let pass as they are. */
const passing: ReadonlySet<string> = new Set([
  "bounds_check",
  "dedupe",
  "group_by_value",
  "json_schema",
  "log",
  "metric",
  "noop",
  "rate_limit",
  "select_parts",
  "sleep",
  "split",
  "sync_response",
]);

/** Processors that put other content in the place of the message's own. */
const replacing: ReadonlySet<string> = new Set(["archive", "decompress"]);

/** The message as it leaves a processor; the very one that came where nothing is done to it. */
export function effectOf(component: ComponentNode, message: MessageType, context: FlowContext): MessageType {
  const { name, config } = component;
  if (passing.has(name)) return message;
  if (replacing.has(name)) return { ...message, content: unknown };
  switch (name) {
    case "http":
      return replyMessage(message, context.replyType(component));
    case "cache":
      return literalText(findField(config, "operator")?.value) === "get"
        ? { ...message, content: unknown }
        : message;
    case "compress":
      return { ...message, content: bytes };
    case "unarchive":
      return withMetadata(
        { ...message, content: unknown },
        namesInArchive(literalText(findField(config, "format")?.value)),
      );
    case "insert_part":
      return joinMessages([message, insertedPart]);
    default:
      return anyMessage;
  }
}

/** What an entry of an archive is called, where its format has names. */
function namesInArchive(format: string | undefined): readonly (readonly [string, Type])[] {
  if (format === "json_map") return [["archive_key", string]];
  return format === "tar" || format === "zip" ? [["archive_filename", string]] : [];
}

/** A part that is put into a batch has no metadata. */
const insertedPart: MessageType = { content: bytes, metadata: { known: new Map(), others: false } };
