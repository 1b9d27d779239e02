// Shapes of what formats and functions give that have a shape of their own.

import {
  anyObject,
  arrayOf,
  bool,
  type Field,
  float,
  integer,
  nullType,
  type ObjectType,
  objectOf,
  string,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { anyNumber } from "../accepted.ts";
import type { CallTypes } from "../builtin.ts";
import { eachMember, literalText } from "./members.ts";
import { textLikeTarget } from "./target.ts";

/** An array of texts. */
export const texts: Type = arrayOf(string);

/** An object of texts under names that are unknown at build time. */
export const textsByName: ObjectType = { kind: "Object", fields: new Map(), rest: string };

/** Texts by name, and true for names that stand alone. */
export const textsAndFlags: ObjectType = { ...textsByName, rest: unionOf([string, bool]) };

/** The text that is made of a text; null of null. */
export function textUnlessNull({ target }: CallTypes): Type {
  return eachMember(
    target,
    (member) => (member.kind === "Null" ? nullType : string),
    unionOf([string, nullType]),
  );
}

/** As `textsByName`, of what a search finds in its target: bytes in bytes. */
export function groupsByName(call: CallTypes): ObjectType {
  return { ...textsByName, rest: textLikeTarget(call) };
}

/** A text, or null where there is none. */
export const textOrNull: Type = unionOf([string, nullType]);

/** An array of integers. */
export const integers: Type = arrayOf(integer);

/** The parts of a URL; `user` stands there where the URL has one, and its password likewise. */
export const urlParts: ObjectType = withOptional(
  objectOf(
    ["scheme", "opaque", "host", "path", "raw_path", "raw_query", "fragment", "raw_fragment"].map(
      (name) => [name, string] as const,
    ),
  ),
  "user",
  withOptional(objectOf([["name", string]]), "password", string),
);

/** What a mapping that writes traces into messages reads: empty where the gateway records none. */
export const injectedTrace: Type = withOptional(
  withOptional(objectOf([]), "traceparent", string),
  "tracestate",
  string,
);

/** The fields that tell others of a trace, or null where there is none. */
export const traceFields: Type = unionOf([
  withOptional(objectOf([["traceparent", string]]), "tracestate", string),
  nullType,
]);

/** The fields of form text: those that come again are arrays. */
export const formFields: ObjectType = {
  kind: "Object",
  fields: new Map(),
  rest: unionOf([string, arrayOf(string)]),
};

function withOptional(object: ObjectType, name: string, type: Type): ObjectType {
  const field: Field = { type, required: false };
  return { ...object, fields: new Map([...object.fields, [name, field]]) };
}

/** Records of separated values: objects by the first record, arrays where that is one like the others. */
export function csvRecords({ args: [withHeader] }: CallTypes): Type {
  if (withHeader === undefined) return arrayOf(textsByName);
  if (withHeader.kind !== "Bool" || withHeader.value === undefined)
    return unionOf([arrayOf(textsByName), arrayOf(texts)]);
  return arrayOf(withHeader.value ? textsByName : texts);
}

const change: Type = objectOf([
  ["Type", unionOf(["create", "update", "delete"].map((value): Type => ({ kind: "String", value })))],
  ["Path", texts],
  ["From", unknown],
  ["To", unknown],
]);

/** The changes to another value; null has none. */
export function changes({ target }: CallTypes): Type {
  if (target.kind === "Unknown") return unionOf([nullType, arrayOf(change)]);
  return eachMember(target, (member) => (member.kind === "Null" ? nullType : arrayOf(change)));
}

/** Text under a key, or null; without a key an object of all. */
export function metadataText({ args: [key] }: CallTypes): Type {
  const name = key === undefined ? "" : literalText(key);
  if (name === undefined) return unionOf([string, nullType, textsByName]);
  return name === "" ? textsByName : textOrNull;
}

/** A value under a key; without a key an object of all. Inference knows the keys. */
export function metadataValue({ args: [key] }: CallTypes): Type {
  return key === undefined || literalText(key) === "" ? anyObject : unknown;
}

/** Text, but for the kinds of data that are numbers. */
export function fakeData({ args: [kind] }: CallTypes): Type {
  const name = kind === undefined ? "" : literalText(kind)?.toLowerCase();
  if (name === undefined) return unionOf([string, anyNumber]);
  if (name === "unix_time") return integer;
  return name === "latitude" || name === "longitude" ? float : string;
}

/** `counter`: an integer, whatever its queries give. */
export function counted({ target, args, queryResult }: CallTypes): Type {
  for (const [index, arg] of args.entries()) if (arg !== undefined) queryResult(index, target);
  return integer;
}

/** `random_int`: an integer; the seed is a query. */
export function random({ target, args: [seed], queryResult }: CallTypes): Type {
  if (seed !== undefined) queryResult(0, target);
  return integer;
}
