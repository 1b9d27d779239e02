// Operations on the known facts about messages between components.
import type { SourceText } from "../../source/source.ts";
import {
  anyMessage,
  type Field,
  type MessageType,
  type MetadataType,
  movedFrom,
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

/** Whether messages have the very same type of content, and metadata with the same names and types in the same order. */
export function isSameMessage(one: MessageType, other: MessageType): boolean {
  if (one.content !== other.content) return false;
  if (one.metadata === other.metadata) return true;
  const [fields, others] = [[...one.metadata.known], [...other.metadata.known]];
  return (
    one.metadata.others === other.metadata.others &&
    fields.length === others.length &&
    fields.every(([name, field], index) => {
      const [otherName, otherField] = others[index] ?? [];
      return (
        name === otherName &&
        field.required === otherField?.required &&
        field.span === otherField.span &&
        sameType(field.type, otherField.type)
      );
    })
  );
}

/** Returns the types in a message with a field whose place is in `source`, and those around them. */
export function typesWrittenIn(source: SourceText, { content, metadata }: MessageType): ReadonlySet<Type> {
  const written = new Map<Type, boolean>();
  const isWritten = (type: Type): boolean => {
    const known = written.get(type);
    if (known !== undefined) return known;
    const fields = type.kind === "Object" ? [...type.fields.values()] : [];
    const isAround = partsOf(type).filter(isWritten).length > 0;
    const found = isAround || fields.some(({ span }) => span?.source === source);
    written.set(type, found);
    return found;
  };
  for (const type of [content, ...Array.from(metadata.known.values(), (field) => field.type)])
    isWritten(type);
  return new Set([...written].flatMap(([type, found]) => (found ? [type] : [])));
}

/** Returns the types directly in a type, but none of a recursive type, which belongs to a schema. */
function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case "Array":
      return [type.items, ...(type.first ?? [])];
    case "Object":
      return [...Array.from(type.fields.values(), (field) => field.type), ...(type.rest ? [type.rest] : [])];
    case "Union":
      return type.members;
    default:
      return [];
  }
}

/**
 * Returns the message with the places of fields that are in `from` moved to `to`, an equal text. `written`: the types
 * that have such fields or contain them.
 */
export function movedMessage(
  { content, metadata }: MessageType,
  { from, to, written }: { from: SourceText; to: SourceText; written: ReadonlySet<Type> },
): MessageType {
  const moved = new Map<Type, Type>();
  return { content: move(content), metadata: { ...metadata, known: moveFields(metadata.known) } };

  function move(type: Type): Type {
    if (!written.has(type)) return type;
    const result = moved.get(type) ?? movedFrom(moveParts(type), type);
    moved.set(type, result);
    return result;
  }

  function moveParts(type: Type): Type {
    switch (type.kind) {
      case "Array":
        return { ...type, items: move(type.items), ...(type.first && { first: type.first.map(move) }) };
      case "Object":
        return { ...type, fields: moveFields(type.fields), rest: type.rest && move(type.rest) };
      case "Union":
        // A member keeps its kind.
        return { ...type, members: type.members.map(move) as unknown as typeof type.members };
      default:
        return type;
    }
  }

  function moveFields(fields: ReadonlyMap<string, Field>): ReadonlyMap<string, Field> {
    const result = new Map<string, Field>();
    for (const [name, field] of fields) {
      const { span, type: before } = field;
      const type = move(before);
      if (span?.source === from) result.set(name, { ...field, type, span: { ...span, source: to } });
      else result.set(name, type === before ? field : { ...field, type });
    }
    return result;
  }
}
