// What processors make of a message, by what their descriptors say.

import type { MessageEffect } from "../../../schemas/component.ts";
import { descriptorOf } from "../../../schemas/component.ts";
import { writtenOptions } from "../../model/written-options.ts";
import type { ComponentNode } from "../../trees/api.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { elementsOf } from "../../value-types/elements.ts";
import {
  anyMessage,
  anyObject,
  arrayOf,
  bytes,
  type MessageType,
  string,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import type { FlowContext } from "./context.ts";
import { replyMessage } from "./input-message.ts";
import { joinMessages, withMetadata } from "./message.ts";
import { messageAt, type Passing } from "./passing.ts";

/** The message as it leaves a processor; the very one that came where nothing is done to it. */
export function effectOf(component: ComponentNode, at: Passing, context: FlowContext): MessageType {
  const flow = descriptorOf("processor", component)?.flow;
  if (flow?.kind !== "message") return anyMessage;
  const { effect } = flow;
  const known = typeof effect === "function" ? effect(writtenOptions(component.config)) : effect;
  const message = withContent(messageAt(at), known.content, { component, at, context });
  const complete = withAddedMetadata(message, known);
  // An inserted message has the metadata of another one.
  return known.inserts === true ? joinMessages([complete, { ...complete, content: bytes }]) : complete;
}

interface EffectPlace {
  readonly component: ComponentNode;
  readonly at: Passing;
  readonly context: FlowContext;
}

function withContent(
  message: MessageType,
  content: MessageEffect["content"],
  { component, at, context }: EffectPlace,
): MessageType {
  switch (content) {
    case "same":
      return message;
    case "bytes":
      return { ...message, content: bytes };
    case "object":
      return { ...message, content: anyObject };
    case "unknown":
      return { ...message, content: unknown };
    case "inspected":
      return { ...message, content: context.producedType(component) };
    case "reply":
      return replyMessage(message, context.replyType(component));
    case "list":
      // With flagged messages among them, what the others hold is not known.
      return {
        ...message,
        content: arrayOf(at.flagged !== undefined ? unknown : documentsOf(message.content)),
      };
    case "elements":
      return { ...message, content: contentOf(elementsOf(message.content)) };
  }
}

function withAddedMetadata(message: MessageType, { metadata = [] }: MessageEffect): MessageType {
  if (metadata.length === 0) return message;
  return withMetadata(
    message,
    metadata.map((key) => [key, string]),
  );
}

/** Bytes that are put among documents are read as such. */
function documentsOf(content: Type): Type {
  return alternativesOf(content).some(({ kind }) => kind === "Bytes") ? unknown : content;
}

/** A string is a message's content as it stands, which may be JSON itself. */
function contentOf(element: Type): Type {
  return unionOf(alternativesOf(element).map((each) => (each.kind === "String" ? bytes : each)));
}
