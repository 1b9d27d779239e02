// Unites types to the type of values that have one of them.

import {
  type ArrayType,
  anyObject,
  bool,
  integer,
  never,
  type ObjectType,
  string,
  type Type,
  type UnionType,
  unknown,
} from "./type.ts";

/** The maximum number of literals of one kind. More become their kind, which keeps unions small. */
const maximumLiterals = 100;

/** The maximum number of objects. More become any object, since each is compared with all others. */
const maximumObjects = 500;

type Member = UnionType["members"][number];

/**
 * Returns the union of types. Flattens unions, leaves out `Never`, keeps equal members once, and merges a literal with
 * its own kind. The result is `Unknown` if a member is `Unknown`, and `Never` if there are no members.
 */
export function unionOf(types: Iterable<Type>): Type {
  let members: readonly Member[] = [];
  for (const type of types) {
    if (type.kind === "Unknown") return unknown;
    if (type.kind === "Never") continue;
    for (const member of type.kind === "Union" ? type.members : [type]) members = withMember(members, member);
    // Long enums are widened early, because each value is compared with all values before it.
    if (members.length > maximumLiterals) members = widenMany(members);
  }
  const kept = widenMany(members);
  const [first] = kept;
  if (first === undefined) return never;
  return kept.length === 1 ? first : { kind: "Union", members: kept };
}

/** Returns the members of a union; none for `Never`; the type itself otherwise. */
export function membersOf(type: Type): readonly Type[] {
  if (type.kind === "Never") return [];
  return type.kind === "Union" ? type.members : [type];
}

/** Returns the type without the members for which `drop` returns true. */
export function without(type: Type, drop: (member: Type) => boolean): Type {
  return unionOf(membersOf(type).filter((member) => !drop(member)));
}

/** Adds a member, unless an existing one covers it; removes members that the new one covers. */
function withMember(members: readonly Member[], member: Member): readonly Member[] {
  if (members.some((other) => covers(other, member))) return members;
  return [...members.filter((other) => !covers(member, other)), member];
}

/** Whether every value of `b` is obviously one of `a`: equal types, or a kind and a literal of it. */
function covers(a: Member, b: Member): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if ("value" in a && a.value !== undefined) return "value" in b && a.value === b.value;
  if (a.kind === "Array" || a.kind === "Object") return sameType(a, b);
  if (a.kind === "Recursive" && b.kind === "Recursive") return a.unfold === b.unfold;
  return true;
}

/** Cached results of comparing objects: types share parts, which may occur very often. */
type Compared = Map<ObjectType, Map<ObjectType, boolean>>;

/** Whether two types have the same structure. The order of members and fields makes no difference. */
export function sameType(a: Type, b: Type): boolean {
  return a === b || isSame(a, b, new Map());
}

function isSame(a: Type, b: Type, compared: Compared): boolean {
  if (a === b) return true;
  if (a.kind === "Union" && b.kind === "Union") {
    return (
      a.members.length === b.members.length &&
      a.members.every((member) => b.members.some((other) => isSame(member, other, compared)))
    );
  }
  if (a.kind === "Array" && b.kind === "Array") return isSameArray(a, b, compared);
  if (a.kind === "Object" && b.kind === "Object") return isSameObject(a, b, compared);
  if (isMember(a) && isMember(b)) return covers(a, b) && covers(b, a);
  return a.kind === b.kind;
}

function isSameArray(a: ArrayType, b: ArrayType, compared: Compared): boolean {
  const [first, other] = [a.first ?? [], b.first ?? []];
  return (
    isSame(a.items, b.items, compared) &&
    first.length === other.length &&
    first.every((type, index) => isSame(type, other[index] ?? b.items, compared))
  );
}

function isMember(type: Type): type is Member {
  return type.kind !== "Union" && type.kind !== "Unknown" && type.kind !== "Never";
}

function isSameObject(a: ObjectType, b: ObjectType, compared: Compared): boolean {
  const row = compared.get(a) ?? new Map<ObjectType, boolean>();
  const result = row.get(b) ?? hasSameFields(a, b, compared);
  compared.set(a, row.set(b, result));
  return result;
}

function hasSameFields(a: ObjectType, b: ObjectType, compared: Compared): boolean {
  if (a.fields.size !== b.fields.size || (a.rest === undefined) !== (b.rest === undefined)) return false;
  if (a.rest !== undefined && b.rest !== undefined && !isSame(a.rest, b.rest, compared)) return false;
  for (const [name, field] of a.fields) {
    const other = b.fields.get(name);
    if (
      other === undefined ||
      other.required !== field.required ||
      !isSame(field.type, other.type, compared)
    ) {
      return false;
    }
  }
  return true;
}

/** Widens texts, integers and objects to their kind if there are too many, and both booleans to `Bool`. */
function widenMany(members: readonly Member[]): readonly Member[] {
  let kept = members;
  const bools = kept.filter((member) => member.kind === "Bool");
  if (bools.length > 1) kept = [...kept.filter((member) => member.kind !== "Bool"), bool];
  const limits = [
    [string, maximumLiterals],
    [integer, maximumLiterals],
    [anyObject, maximumObjects],
  ] as const;
  for (const [wide, most] of limits) {
    const alike = kept.filter((member) => member.kind === wide.kind);
    if (alike.length > most) {
      kept = [...kept.filter((member) => member.kind !== wide.kind), wide];
    }
  }
  return kept;
}
