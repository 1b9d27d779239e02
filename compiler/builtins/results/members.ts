// Helpers for inspecting types, shared by the rules for results.

import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import {
  bool,
  integer,
  type NeverType,
  type ObjectType,
  string,
  type Type,
  type UnknownType,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";

/** A type of a known kind, which is neither a union nor recursive. */
export type Member = Exclude<Alternative, UnknownType | NeverType>;

/** Returns the alternatives of `type`; `undefined` if they are unknown. */
export function membersOf(type: Type): readonly Member[] | undefined {
  const members: Member[] = [];
  for (const alternative of alternativesOf(type)) {
    if (alternative.kind === "Unknown") return undefined;
    if (alternative.kind !== "Never") members.push(alternative);
  }
  return members;
}

/** Whether all values of `type` have one of the kinds; false for `Unknown`. */
export function isOnly(type: Type, ...kinds: readonly Member["kind"][]): boolean {
  return membersOf(type)?.every(({ kind }) => kinds.includes(kind)) ?? false;
}

/** Whether a value of `type` can have one of the kinds; true for `Unknown`. */
export function canBe(type: Type, ...kinds: readonly Member["kind"][]): boolean {
  return membersOf(type)?.some(({ kind }) => kinds.includes(kind)) ?? true;
}

/** Returns the union of `change` applied to each alternative of a type; `otherwise` for `Unknown`. */
export function eachMember(type: Type, change: (member: Member) => Type, otherwise: Type = unknown): Type {
  const members = membersOf(type);
  return members === undefined ? otherwise : unionOf(members.map(change));
}

/** Returns the type without the values of literal texts, numbers and bools. */
export function withoutLiterals(type: Type): Type {
  return eachMember(type, (member) => {
    switch (member.kind) {
      case "String":
        return string;
      case "Integer":
        return integer;
      case "Bool":
        return bool;
      default:
        return member;
    }
  });
}

/** Returns the text of an argument that is a literal. */
export function literalText(type: Type | undefined): string | undefined {
  return type?.kind === "String" ? type.value : undefined;
}

/** Returns the type of an object's keys: literal texts if all are known. */
export function keysOf({ fields, rest }: ObjectType): Type {
  if (rest !== undefined) return string;
  const names = Array.from(fields).flatMap(([name, { type }]) => (type.kind === "Never" ? [] : [name]));
  return unionOf(names.map((value): Type => ({ kind: "String", value })));
}

/** Returns an object type in which every field is optional. */
export function allOptional({ fields, rest }: ObjectType): ObjectType {
  const entries = Array.from(fields, ([name, field]) => [name, { ...field, required: false }] as const);
  return { kind: "Object", fields: new Map(entries), rest };
}
