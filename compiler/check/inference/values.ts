// Infers the types of literals and containers.

import type { ArrayLiteral, ObjectLiteral } from "../../trees/mapping.ts";
import { arrayOfPlaces } from "../../value-types/elements.ts";
import {
  bool,
  type Field,
  float,
  integer,
  nullType,
  objectOf,
  string,
  type Type,
} from "../../value-types/type.ts";
import { membersOf, unionOf, without } from "../../value-types/union.ts";
import type { ConstantValue } from "../mapping/constant.ts";
import { ofTypeKinds, reportMistake, requireKinds } from "./demands.ts";
import { fail, type Scope } from "./scope.ts";
import { canVanish } from "./vanishing.ts";

/** Returns the type of a value that is known before any message. */
export function typeOfConstant(value: ConstantValue): Type {
  if (value === null) return nullType;
  if (typeof value === "string") return { ...string, value };
  if (typeof value === "bigint") return { ...integer, value };
  if (typeof value === "boolean") return { ...bool, value };
  switch (value.kind) {
    case "float":
      return float;
    case "array":
      return arrayOfPlaces(value.items.map(typeOfConstant));
    case "object":
      return objectOf(Array.from(value.entries, ([name, each]) => [name, typeOfConstant(each)] as const));
  }
}

/** `[a, b]`; elements that are `deleted()` or `nothing()` are left out. */
export function inferArray(node: ArrayLiteral, scope: Scope): Type {
  const elements = node.elements.map((element) => scope.inference.infer(element, scope));
  const present = elements.map((type) => except(type, isMarker));
  // If an element may be left out, the positions of later elements are not known.
  const unsure = node.elements.findIndex(
    (element, index) => present[index] !== elements[index] || canVanish(element, scope.inference),
  );
  if (unsure === -1) return arrayOfPlaces(present);
  return { ...arrayOfPlaces(present.slice(0, unsure)), items: unionOf(present) };
}

/** `{"a": b}`; fields whose value is `deleted()` or `nothing()` are left out. */
export function inferObject(node: ObjectLiteral, scope: Scope): Type {
  const fields = new Map<string, Field>();
  const computed: Type[] = [];
  for (const { key, value } of node.entries) {
    const name = inferKey(key, scope);
    const type = scope.inference.infer(value, scope);
    const present = except(type, isMarker);
    if (name === undefined) computed.push(present);
    else if (present.kind !== "Never") {
      // Of equal keys the last counts, but if its value is left out, the earlier field remains.
      const isSure = present === type && !(type.kind === "Unknown" && canVanish(value, scope.inference));
      const before = isSure ? undefined : fields.get(name);
      const all = before === undefined ? present : unionOf([before.type, present]);
      fields.set(name, { type: all, required: isSure || before?.required === true });
    }
  }
  // A computed key may be any key, including the literal ones.
  if (computed.length === 0) return { kind: "Object", fields, rest: undefined };
  const widened = Array.from(
    fields,
    ([name, field]) => [name, { ...field, type: unionOf([field.type, ...computed]) }] as const,
  );
  return { kind: "Object", fields: new Map(widened), rest: unionOf(computed) };
}

/** Returns the text of a known key; a computed key must be text or bytes. */
function inferKey(key: ObjectLiteral["entries"][number]["key"], scope: Scope): string | undefined {
  const type = scope.inference.infer(key, scope);
  if (type.kind === "String" && type.value !== undefined) return type.value;
  const folded = scope.inference.facts.folder.fold(key);
  // A literal of another type is reported by an earlier check.
  if (folded !== undefined) {
    fail(scope, key.span, "type", "object keys must be strings");
    return undefined;
  }
  const codes = { certain: "GW3102", possible: "GW3103" } as const;
  const expected = "Object keys must be strings.";
  const demand = {
    takes: ofTypeKinds(keyKinds),
    user: "{…}",
    report: (found: string, isCertain: boolean) =>
      reportMistake(scope, codes, key, { operator: "{…}", found, expected }, isCertain),
  };
  requireKinds(key, type, demand, scope);
  return undefined;
}

const keyKinds: ReadonlySet<Type["kind"]> = new Set(["String", "Bytes"]);

/** Whether a type is `deleted()` or `nothing()`. */
export function isMarker({ kind }: Type): boolean {
  return kind === "Deleted" || kind === "Nothing";
}

/** Returns the type without some of its members; the same type object if it has none of them. */
export function except(type: Type, drop: (member: Type) => boolean): Type {
  return membersOf(type).some(drop) ? without(type, drop) : type;
}
