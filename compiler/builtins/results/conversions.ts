// Results of conversions: `.string()`, `.number(0)`, `.bool(false)`, `.type()`.

import { kindsOf } from "../../value-types/kinds.ts";
import { arrayOf, bool, never, string, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { anyNumber } from "../accepted.ts";
import type { CallTypes } from "../builtin.ts";
import { eachMember, isOnly, type Member } from "./members.ts";

/**
 * Text; a text is itself, so that an enum stays one. Not of integers: 1000000 is `1e+06` where it was calculated
 * as a float.
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

/** A number stays of its kind, a text becomes any; a default is returned as it is. */
export function asNumber({ target, args: [fallback] }: CallTypes): Type {
  const parsed = orDefault(anyNumber, fallback);
  const asNumberOf = (member: Member): Type => {
    if (member.kind === "Integer" || member.kind === "Float") return member;
    return member.kind === "String" || member.kind === "Bytes" ? parsed : (fallback ?? never);
  };
  return eachMember(target, asNumberOf, parsed);
}

/** A bool stays itself, numbers and texts become any, and so does a default that is a number. */
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

/** An array as it is, all else as the one element of an array. */
export function asArray({ target }: CallTypes): Type {
  return eachMember(
    target,
    (member) => (member.kind === "Array" ? member : arrayOf(member)),
    arrayOf(unknown),
  );
}

/** The names of the types the target can be of. */
export function nameOfType({ target }: CallTypes): Type {
  return unionOf(Array.from(kindsOf(target), (value): Type => ({ kind: "String", value })));
}

/** No default, and the target may be no number. */
export function unlessNumberOrDefault({ target, args: [fallback] }: CallTypes): boolean {
  return fallback === undefined && !isOnly(target, "Integer", "Float");
}

/** No default, and the target may stand for no bool. */
export function unlessBoolOrDefault({ target, args: [fallback] }: CallTypes): boolean {
  return fallback === undefined && !isOnly(target, "Bool", "Integer", "Float");
}

function orDefault(type: Type, fallback: Type | undefined): Type {
  return fallback === undefined ? type : unionOf([type, fallback]);
}

/** The opposite of a bool. */
export function opposite({ target }: CallTypes): Type {
  const oppositeOf = (member: Member): Type =>
    member.kind === "Bool" && member.value !== undefined ? { kind: "Bool", value: !member.value } : bool;
  return eachMember(target, oppositeOf, bool);
}
