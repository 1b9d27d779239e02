// Result types of methods on whole objects: keys, values, and combinations of two objects.

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
import { membersOf as foldedMembersOf, unionOf } from "../../value-types/union.ts";
import type { CallTypes } from "../builtin.ts";
import { eachMember, keysOf, membersOf } from "./members.ts";

/** Returns the names of all fields, as literals if they are known. */
export function keysOfTarget({ target }: CallTypes): Type {
  return listed(target, keysOf, string);
}

/** Returns the values of all fields. */
export function valuesOfTarget({ target }: CallTypes): Type {
  return listed(target, valuesOf, unknown);
}

/** Returns each key with its value. */
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

/** Combines two values with the same path that are not both objects. */
type Collision = (left: Type, right: Type) => Type;

/** Returns both objects combined. Values with the same path become an array. */
export function merged(call: CallTypes): Type {
  return together(call, listBoth);
}

/** Returns both objects combined. For values with the same path, the argument takes precedence. */
export function assigned(call: CallTypes): Type {
  return together(call, (_, right) => right);
}

function together({ target, args: [other = unknown] }: CallTypes, collision: Collision): Type {
  const combination = new Combination(collision);
  return eachMember(target, (member) => {
    if (member.kind === "Array") return arrayOf(unionOf([member.items, elementsOrSelf(other)]));
    if (member.kind !== "Object") return never;
    const withOther = (right: Type) => combination.both(member, right);
    return eachMember(other, withOther, unionOf([member, withOther(anyObject)]));
  });
}

/** The combinations of the values in two types. */
class Combination {
  readonly #collision: Collision;
  /** By both types: alternatives often share the types of their fields, and each level of them would double the work. */
  readonly #known = new Map<Type, Map<Type, Type>>();

  constructor(collision: Collision) {
    this.#collision = collision;
  }

  /** Combines two types. A value that is not an object adds nothing to an object. */
  both(left: Type, right: Type): Type {
    if (left.kind !== "Object" || right.kind !== "Object") return left;
    const fields = new Map<string, Field>();
    for (const name of new Set([...left.fields.keys(), ...right.fields.keys()])) {
      fields.set(name, this.#field(fieldOf(left, name), fieldOf(right, name)));
    }
    return { kind: "Object", fields, rest: this.#rest(left.rest, right.rest) };
  }

  /** Combines two fields, each of which may be missing: the result is either of them, or both combined. */
  #field(left: Field, right: Field): Field {
    const types = [this.#joined(left.type, right.type)];
    if (!right.required) types.push(left.type);
    if (!left.required) types.push(right.type);
    const span = right.span ?? left.span;
    return { type: unionOf(types), required: left.required || right.required, ...(span && { span }) };
  }

  #rest(left: Type | undefined, right: Type | undefined): Type | undefined {
    if (left === undefined) return right;
    return right === undefined ? left : unionOf([left, right, this.#joined(left, right)]);
  }

  #joined(left: Type, right: Type): Type {
    const ofLeft = this.#known.get(left) ?? new Map<Type, Type>();
    this.#known.set(left, ofLeft);
    const known = ofLeft.get(right);
    if (known !== undefined) return known;
    const joined = this.#join(left, right);
    ofLeft.set(right, joined);
    return joined;
  }

  /** Combines two values. Objects are combined recursively; if either is `Never`, so is the result. */
  #join(left: Type, right: Type): Type {
    if (left.kind === "Never" || right.kind === "Never") return never;
    // Combining what contains itself would not end.
    if (isRecursive(left) || isRecursive(right)) return unknown;
    const [ours, theirs] = [membersOf(left), membersOf(right)];
    if (ours === undefined || theirs === undefined) return unknown;
    return unionOf(
      ours.flatMap((a) =>
        theirs.map((b) =>
          a.kind === "Object" && b.kind === "Object" ? this.both(a, b) : this.#collision(a, b),
        ),
      ),
    );
  }
}

function fieldOf({ fields, rest }: ObjectType, name: string): Field {
  return fields.get(name) ?? fieldFromRest(rest);
}

function isRecursive(type: Type): boolean {
  return foldedMembersOf(type).some(({ kind }) => kind === "Recursive");
}

function listBoth(left: Type, right: Type): Type {
  return arrayOf(unionOf([elementsOrSelf(left), elementsOrSelf(right)]));
}

function elementsOrSelf(type: Type): Type {
  return eachMember(type, (member) => (member.kind === "Array" ? member.items : member));
}
