// Operations on the known facts about messages between components.
import {
  anyMessage,
  type Field,
  type MessageType,
  type MetadataType,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { sameType, unionOf } from "../../value-types/union.ts";

/** Returns a message that comes from any of several places; without a place, nothing is known about it. */
export function joinMessages(messages: readonly MessageType[]): MessageType {
  const [first, ...others] = messages;
  if (first === undefined) return anyMessage;
  return others.reduce(
    (joined, message) => ({
      content: unionOf([joined.content, message.content]),
      metadata: joinMetadata(joined.metadata, message.metadata),
    }),
    first,
  );
}

function joinMetadata(first: MetadataType, second: MetadataType): MetadataType {
  const known = new Map<string, Field>();
  for (const key of [...first.known.keys(), ...second.known.keys()]) {
    const fields = [first.known.get(key), second.known.get(key)].filter((field) => field !== undefined);
    // A key that only one message knows may have any value in the other: only its presence is certain.
    const isOpen = fields.length === 1 && (first.known.has(key) ? second.others : first.others);
    if (isOpen) {
      known.set(key, { type: unknown, required: true });
      continue;
    }
    const required = fields.length === 2 && fields.every((field) => field.required);
    known.set(key, { type: unionOf(fields.map((field) => field.type)), required });
  }
  return { known, others: first.others || second.others };
}

/** Returns the message with added metadata, which replaces metadata with the same name. */
export function withMetadata(message: MessageType, added: Iterable<readonly [string, Type]>): MessageType {
  const known = new Map(message.metadata.known);
  for (const [key, type] of added) known.set(key, { type, required: true });
  return { ...message, metadata: { ...message.metadata, known } };
}

/** Returns the message after a branch that may be skipped or fail: only the names that the branch writes are known. */
export function mayBeMerged(before: MessageType, after: MessageType): MessageType {
  if (before === after) return before;
  const [one, other] = [before.content, after.content];
  const metadata = joinMessages([before, after]).metadata;
  if (one.kind !== "Object" || other.kind !== "Object") return { content: unknown, metadata };
  const fields = new Map(
    [...one.fields.keys(), ...other.fields.keys()].map((name) => {
      const [left, right] = [one.fields.get(name), other.fields.get(name)];
      const isKept = left !== undefined && right !== undefined && sameType(left.type, right.type);
      return [name, isKept ? left : { type: unknown, required: false }] as const;
    }),
  );
  const rest = one.rest === undefined && other.rest === undefined ? undefined : unknown;
  return { content: { kind: "Object", fields, rest }, metadata };
}

/** Returns the message with the record of the branches in its document. */
export function withRecord(message: MessageType, path: string): MessageType {
  const { content } = message;
  if (content.kind !== "Object") return { ...message, content: unknown };
  const [key = ""] = path.split(".");
  const field = { type: unknown, required: false };
  return { ...message, content: { ...content, fields: new Map([...content.fields, [key, field]]) } };
}
