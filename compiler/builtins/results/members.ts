// Looking into types: what rules for results share.

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
import type { CallTypes } from "../builtin.ts";

/** A type whose kind is known, neither a union nor recursive. */
export type Member = Exclude<Alternative, UnknownType | NeverType>;

/** The types a value of `type` can be of; `undefined` where that is not known. */
export function membersOf(type: Type): readonly Member[] | undefined {
  const members: Member[] = [];
  for (const alternative of alternativesOf(type)) {
    if (alternative.kind === "Unknown") return undefined;
    if (alternative.kind !== "Never") members.push(alternative);
  }
  return members;
}

/** Whether all values of `type` are of one of some kinds; of `Unknown` that is unknown. */
export function isOnly(type: Type, ...kinds: readonly Member["kind"][]): boolean {
  return membersOf(type)?.every(({ kind }) => kinds.includes(kind)) ?? false;
}

/** Whether a value of `type` can be of one of some kinds. */
export function canBe(type: Type, ...kinds: readonly Member["kind"][]): boolean {
  return membersOf(type)?.some(({ kind }) => kinds.includes(kind)) ?? true;
}

/** What `change` makes of each of the types a value can be of; of `Unknown` it is `otherwise`. */
export function eachMember(type: Type, change: (member: Member) => Type, otherwise: Type = unknown): Type {
  const members = membersOf(type);
  return members === undefined ? otherwise : unionOf(members.map(change));
}

/** The type without knowledge of which text, number or bool it is. */
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

/** The text an argument is known to be. */
export function literalText(type: Type | undefined): string | undefined {
  return type?.kind === "String" ? type.value : undefined;
}

/** Whether every argument that is given is a literal: the builtin's `rule` has then checked them. */
export function areLiteral({ args }: CallTypes): boolean {
  return args.every((type) => type === undefined || ("value" in type && type.value !== undefined));
}

/** The keys of an object: the texts where all are known. */
export function keysOf({ fields, rest }: ObjectType): Type {
  if (rest !== undefined) return string;
  const names = Array.from(fields).flatMap(([name, { type }]) => (type.kind === "Never" ? [] : [name]));
  return unionOf(names.map((value): Type => ({ kind: "String", value })));
}

/** An object whose fields may each be missing. */
export function allOptional({ fields, rest }: ObjectType): ObjectType {
  const entries = Array.from(fields, ([name, field]) => [name, { ...field, required: false }] as const);
  return { kind: "Object", fields: new Map(entries), rest };
}
