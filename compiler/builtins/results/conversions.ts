// Result types of conversions: `.string()`, `.number(0)`, `.bool(false)`, `.type()`.

import { kindsOf } from "../../value-types/kinds.ts";
import { arrayOf, bool, never, string, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { anyNumber } from "../accepted.ts";
import type { CallTypes } from "../builtin.ts";
import { eachMember, isOnly, type Member } from "./members.ts";

/**
 * Returns text. A text is returned unchanged, so that an enum stays one. Integers do not become literals: 1000000 is
 * `1e+06` if it was calculated as a float.
 */
export function asText({ target }: CallTypes): Type {
  const asTextOf = (member: Member): Type => {
    const value = textOf(member);
    return value === undefined ? string : { kind: "String", value };
  };
  return eachMember(target, asTextOf, string);
}

function textOf(member: Member): string | undefined {
  switch (member.kind) {
    case "String":
      return member.value;
    case "Bool":
      return member.value === undefined ? undefined : String(member.value);
    case "Null":
    case "Deleted":
    case "Nothing":
      return "null";
    default:
      return undefined;
  }
}

/** Returns a number: a number keeps its kind, a text becomes any number, a default is returned unchanged. */
export function asNumber({ target, args: [fallback] }: CallTypes): Type {
  const parsed = orDefault(anyNumber, fallback);
  const asNumberOf = (member: Member): Type => {
    if (member.kind === "Integer" || member.kind === "Float") return member;
    return member.kind === "String" || member.kind === "Bytes" ? parsed : (fallback ?? never);
  };
  return eachMember(target, asNumberOf, parsed);
}

/** Returns a bool: a bool is returned unchanged; numbers, texts and a default that is a number become any bool. */
export function asBool({ target, args: [given] }: CallTypes): Type {
  const fallback = given?.kind === "Bool" || given === undefined ? given : bool;
  const parsed = orDefault(bool, fallback);
  const asBoolOf = (member: Member): Type => {
    switch (member.kind) {
      case "Bool":
        return member;
      case "Integer":
      case "Float":
        return bool;
      case "String":
      case "Bytes":
        return parsed;
      default:
        return fallback ?? never;
    }
  };
  return eachMember(target, asBoolOf, parsed);
}

/** Returns an array unchanged, and any other value as the only element of an array. */
export function asArray({ target }: CallTypes): Type {
  return eachMember(
    target,
    (member) => (member.kind === "Array" ? member : arrayOf(member)),
    arrayOf(unknown),
  );
}

/** Returns the names of the possible types of the target. */
export function nameOfType({ target }: CallTypes): Type {
  return unionOf(Array.from(kindsOf(target), (value): Type => ({ kind: "String", value })));
}

/** Whether there is no default and the target may not be a number. */
export function unlessNumberOrDefault({ target, args: [fallback] }: CallTypes): boolean {
  return fallback === undefined && !isOnly(target, "Integer", "Float");
}

/** Whether there is no default and the target may not be convertible to a bool. */
export function unlessBoolOrDefault({ target, args: [fallback] }: CallTypes): boolean {
  return fallback === undefined && !isOnly(target, "Bool", "Integer", "Float");
}

function orDefault(type: Type, fallback: Type | undefined): Type {
  return fallback === undefined ? type : unionOf([type, fallback]);
}

/** Returns the opposite of a bool. */
export function opposite({ target }: CallTypes): Type {
  const oppositeOf = (member: Member): Type =>
    member.kind === "Bool" && member.value !== undefined ? { kind: "Bool", value: !member.value } : bool;
  return eachMember(target, oppositeOf, bool);
}
