// Messages as callers of the embedding API write them, and as the runtime takes them.

import type { Message } from "../../runtime/message/message.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { fromRecord, toRecord } from "./plain-values.ts";

/** Why a message failed before, and which component says so: what `error()` and `error_source_label()` give. */
export interface MessageFailure {
  readonly message: string;
  readonly label?: string;
  readonly path?: string;
  /** The component's name, such as `http`; without it no component is known. */
  readonly type?: string;
}

/** A message to run on. */
export interface MessageInput {
  readonly content: string | Uint8Array;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The failure it carries, which `error()` gives. */
  readonly error?: string | Error | ComponentFailure;
}

/** A failure with the component it comes from, which `error_source_label()` and its like give. */
export interface ComponentFailure {
  readonly message: string;
  readonly label?: string;
  readonly path?: string;
  readonly type?: string;
}

/** The batch a message is part of. */
export interface BatchInput {
  readonly messages: readonly MessageInput[];
  /** Where in `messages` the one to run on stands. */
  readonly index: number;
}

/** What a mapping made of a message. */
export interface MessageResult {
  readonly content: Uint8Array;
  readonly metadata: Record<string, unknown>;
}

/** A batch of the runtime and the position to run at. */
export interface Situation {
  readonly batch: readonly Message[];
  readonly index: number;
}

/** `message` stands at its index of the batch, whatever the batch has there; alone without a batch. */
export function situate(message: MessageInput | undefined, batch: BatchInput | undefined): Situation {
  if (batch === undefined) return { batch: message === undefined ? [] : [toMessage(message)], index: 0 };
  const messages = message === undefined ? batch.messages : batch.messages.with(batch.index, message);
  return { batch: messages.map(toMessage), index: batch.index };
}

/** The message for the runtime. */
export function toMessage({ content, metadata, error }: MessageInput): Message {
  const { Message } = loadRuntime("runtime/message/message.ts");
  const { GatewayError } = loadRuntime("runtime/errors.ts");
  const named = new Map(Object.entries(fromRecord(metadata ?? {})));
  const message =
    typeof content === "string" ? Message.fromText(content, named) : Message.fromBytes(content, named);
  if (error === undefined) return message;
  const {
    message: text,
    label = "",
    path = "",
    type,
  }: ComponentFailure = typeof error === "string" ? { message: error } : error;
  const source = type === undefined ? undefined : { label, path, type };
  return message.withFailure(new GatewayError(500, text), source);
}

/** The message for the caller. */
export function toResult(message: Message): MessageResult {
  return { content: message.bytes(), metadata: toRecord(message.metadata) };
}
