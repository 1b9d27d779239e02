// Results of methods on objects as a whole: their keys and values, two of them in one.

import { valuesOf } from "../../value-types/elements.ts";
import { fieldFromRest } from "../../value-types/fields.ts";
import {
  anyObject,
  arrayOf,
  type Field,
  never,
  type ObjectType,
  objectOf,
  string,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import type { CallTypes } from "../builtin.ts";
import { eachMember, keysOf, membersOf } from "./members.ts";

/** The names of all fields, as literals where they are known. */
export function keysOfTarget({ target }: CallTypes): Type {
  return listed(target, keysOf, string);
}

/** The values of all fields. */
export function valuesOfTarget({ target }: CallTypes): Type {
  return listed(target, valuesOf, unknown);
}

/** Each key with its value. */
export function entriesOfTarget({ target }: CallTypes): Type {
  return listed(target, (object) => entry(keysOf(object), valuesOf(object)), entry(string, unknown));
}

function listed(target: Type, itemsOf: (object: ObjectType) => Type, otherwise: Type): Type {
  const items = (member: Type) => (member.kind === "Object" ? itemsOf(member) : never);
  return arrayOf(eachMember(target, items, otherwise));
}

function entry(key: Type, value: Type): Type {
  return objectOf([
    ["key", key],
    ["value", value],
  ]);
}

/** What two values at the same place give that are not both objects. */
type Collision = (left: Type, right: Type) => Type;

/** Both in one; what stands in both becomes an array of both. */
export function merged(call: CallTypes): Type {
  return together(call, listBoth);
}

/** Both in one; what stands in both is taken from the argument. */
export function assigned(call: CallTypes): Type {
  return together(call, (_, right) => right);
}

function together({ target, args: [other = unknown] }: CallTypes, collision: Collision): Type {
  return eachMember(target, (member) => {
    if (member.kind === "Array") return arrayOf(unionOf([member.items, elementsOrSelf(other)]));
    if (member.kind !== "Object") return never;
    const withOther = (right: Type) => both(member, right, collision);
    return eachMember(other, withOther, unionOf([member, withOther(anyObject)]));
  });
}

/** What is not an object adds nothing to one. */
function both(left: Type, right: Type, collision: Collision): Type {
  if (left.kind !== "Object" || right.kind !== "Object") return left;
  const fields = new Map<string, Field>();
  for (const name of new Set([...left.fields.keys(), ...right.fields.keys()])) {
    fields.set(name, joinedField(fieldOf(left, name), fieldOf(right, name), collision));
  }
  return { kind: "Object", fields, rest: joinedRest(left.rest, right.rest, collision) };
}

function fieldOf({ fields, rest }: ObjectType, name: string): Field {
  return fields.get(name) ?? fieldFromRest(rest);
}

/** Of two fields that may each be missing: either alone, or both. */
function joinedField(left: Field, right: Field, collision: Collision): Field {
  const types = [joined(left.type, right.type, collision)];
  if (!right.required) types.push(left.type);
  if (!left.required) types.push(right.type);
  const span = right.span ?? left.span;
  return { type: unionOf(types), required: left.required || right.required, ...(span && { span }) };
}

function joinedRest(left: Type | undefined, right: Type | undefined, collision: Collision): Type | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : unionOf([left, right, joined(left, right, collision)]);
}

/** Values that are both objects are put together in turn; of no value at all nothing comes. */
function joined(left: Type, right: Type, collision: Collision): Type {
  if (left.kind === "Never" || right.kind === "Never") return never;
  const [ours, theirs] = [membersOf(left), membersOf(right)];
  if (ours === undefined || theirs === undefined) return unknown;
  return unionOf(
    ours.flatMap((a) =>
      theirs.map((b) =>
        a.kind === "Object" && b.kind === "Object" ? both(a, b, collision) : collision(a, b),
      ),
    ),
  );
}

function listBoth(left: Type, right: Type): Type {
  return arrayOf(unionOf([elementsOrSelf(left), elementsOrSelf(right)]));
}

function elementsOrSelf(type: Type): Type {
  return eachMember(type, (member) => (member.kind === "Array" ? member.items : member));
}
