// Types in, the type of "one of them" out.

import {
  type ArrayType,
  bool,
  integer,
  never,
  type ObjectType,
  string,
  type Type,
  type UnionType,
  unknown,
} from "./type.ts";

/** More literals of one kind than this are only known as their kind; keeps unions small. */
const maximumLiterals = 100;

type Member = UnionType["members"][number];

/**
 * One of these types. Unions are flattened, `Never` is left out, equal members are kept once, a literal beside
 * its own kind goes into it; with an `Unknown` among them the whole is `Unknown`, without any member `Never`.
 */
export function unionOf(types: Iterable<Type>): Type {
  let members: readonly Member[] = [];
  for (const type of types) {
    if (type.kind === "Unknown") return unknown;
    if (type.kind === "Never") continue;
    for (const member of type.kind === "Union" ? type.members : [type]) members = withMember(members, member);
    // Long enums are cut as they come: each value is compared with all before it.
    if (members.length > maximumLiterals) members = widenMany(members);
  }
  const kept = widenMany(members);
  const [first] = kept;
  if (first === undefined) return never;
  return kept.length === 1 ? first : { kind: "Union", members: kept };
}

/** The members of a union; of any other type itself, of `Never` none. */
export function membersOf(type: Type): readonly Type[] {
  if (type.kind === "Never") return [];
  return type.kind === "Union" ? type.members : [type];
}

/** The type without the members that `drop` names. */
export function without(type: Type, drop: (member: Type) => boolean): Type {
  return unionOf(membersOf(type).filter((member) => !drop(member)));
}

/** With a member more, unless one that is there says the same already; what it covers goes. */
function withMember(members: readonly Member[], member: Member): readonly Member[] {
  if (members.some((other) => covers(other, member))) return members;
  return [...members.filter((other) => !covers(member, other)), member];
}

/** Whether every value of `b` is one of `a`, seen at a glance: equal, or a kind and a literal of it. */
function covers(a: Member, b: Member): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if ("value" in a && a.value !== undefined) return "value" in b && a.value === b.value;
  if (a.kind === "Array" || a.kind === "Object") return sameType(a, b);
  if (a.kind === "Recursive" && b.kind === "Recursive") return a.unfold === b.unfold;
  return true;
}

/** Whether two objects are the same, once that is known: types share parts, which may be met very often. */
type Compared = Map<ObjectType, Map<ObjectType, boolean>>;

/** Whether two types are written alike; the order of members and fields does not count. */
export function sameType(a: Type, b: Type): boolean {
  return isSame(a, b, new Map());
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

/** Texts or integers of too many values become their kind, and so do both truth values. */
function widenMany(members: readonly Member[]): readonly Member[] {
  let kept = members;
  const bools = kept.filter((member) => member.kind === "Bool");
  if (bools.length > 1) kept = [...kept.filter((member) => member.kind !== "Bool"), bool];
  for (const wide of [string, integer]) {
    const literals = kept.filter((member) => member.kind === wide.kind);
    if (literals.length > maximumLiterals) {
      kept = [...kept.filter((member) => member.kind !== wide.kind), wide];
    }
  }
  return kept;
}
