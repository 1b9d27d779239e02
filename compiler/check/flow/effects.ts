// What processors make of a message that run neither scripts on it nor other processors.

import type { ComponentNode } from "../../parse/document/api.ts";
import { anyMessage, type MessageType } from "../../value-types/message-type.ts";
import { bytes, unknown } from "../../value-types/type.ts";
import { findField, literalText } from "../document/components.ts";
import { archived, unarchived } from "./archives.ts";
import type { FlowContext } from "./context.ts";
import { replyMessage } from "./input-message.ts";
import { joinMessages } from "./message.ts";
import { messageAt, type Passing } from "./passing.ts";

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

/** What each processor with an effect of its own makes of messages. */
const effects: Readonly<Record<string, Effect>> = {
  archive: ({ component, message, isMixed }) => archived(component, message, isMixed),
  cache: ({ component, message }) =>
    literalText(findField(component.config, "operator")?.value) === "get"
      ? { ...message, content: unknown }
      : message,
  compress: ({ message }) => ({ ...message, content: bytes }),
  decompress: ({ message }) => ({ ...message, content: unknown }),
  http: ({ component, message, context }) => replyMessage(message, context.replyType(component)),
  insert_part: ({ message }) => joinMessages([message, insertedPart]),
  unarchive: ({ component, message }) => unarchived(component, message),
};

/** A processor, and the messages that come to it. */
interface EffectPlace {
  readonly component: ComponentNode;
  readonly message: MessageType;
  /** Messages that something failed on come as well. */
  readonly isMixed: boolean;
  readonly context: FlowContext;
}

type Effect = (place: EffectPlace) => MessageType;

/** The processors that something is known of here; what others give may be anything. */
export const knownEffects: ReadonlySet<string> = new Set([...passing, ...Object.keys(effects)]);

/** The message as it leaves a processor; the very one that came where nothing is done to it. */
export function effectOf(component: ComponentNode, at: Passing, context: FlowContext): MessageType {
  const message = messageAt(at);
  if (passing.has(component.name)) return message;
  const effect = Object.hasOwn(effects, component.name) ? effects[component.name] : undefined;
  return effect?.({ component, message, isMixed: at.flagged !== undefined, context }) ?? anyMessage;
}

/** A part that is put into a batch has no metadata. */
const insertedPart: MessageType = { content: bytes, metadata: { known: new Map(), others: false } };
