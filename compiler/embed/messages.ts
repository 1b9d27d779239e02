// Converts messages between the embedding API and the runtime.

import type { Message } from "../../runtime/message/message.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { fromRecord, toRecord } from "./plain-values.ts";

/** An earlier failure of a message and its component, as returned by `error()` and `error_source_label()`. */
export interface MessageFailure {
  readonly message: string;
  readonly label?: string;
  readonly path?: string;
  /** The component's name, such as `http`; if absent, the component is unknown. */
  readonly type?: string;
}

/** An input message. */
export interface MessageInput {
  readonly content: string | Uint8Array;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The failure of the message, which `error()` returns. */
  readonly error?: string | Error | ComponentFailure;
}

/** A failure with its component, which `error_source_label()` and similar functions return. */
export interface ComponentFailure {
  readonly message: string;
  readonly label?: string;
  readonly path?: string;
  readonly type?: string;
}

/** The batch that contains a message. */
export interface BatchInput {
  readonly messages: readonly MessageInput[];
  /** The index of the message in `messages`. */
  readonly index: number;
}

/** The result of a mapping. */
export interface MessageResult {
  readonly content: Uint8Array;
  readonly metadata: Record<string, unknown>;
}

/** A batch of the runtime and the index of the message to run on. */
export interface Situation {
  readonly batch: readonly Message[];
  readonly index: number;
}

/** Puts `message` at its index of the batch, replacing the message there. Without a batch, the message is alone. */
export function situate(message: MessageInput | undefined, batch: BatchInput | undefined): Situation {
  if (batch === undefined) return { batch: message === undefined ? [] : [toMessage(message)], index: 0 };
  const messages = message === undefined ? batch.messages : batch.messages.with(batch.index, message);
  return { batch: messages.map(toMessage), index: batch.index };
}

/** Converts a message for the runtime. */
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

/** Converts a message for the caller. */
export function toResult(message: Message): MessageResult {
  return { content: message.bytes(), metadata: toRecord(message.metadata) };
}
