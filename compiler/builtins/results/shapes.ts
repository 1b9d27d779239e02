// Types of results with a fixed shape, for formats and functions.

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

/** An object whose values are texts and whose keys are unknown at compile time. */
const textsByName: ObjectType = { kind: "Object", fields: new Map(), rest: string };

/** An object whose values are texts, or true for names without a value. */
export const textsAndFlags: ObjectType = { ...textsByName, rest: unionOf([string, bool]) };

/** Returns text for a text, and null for null. */
export function textUnlessNull({ target }: CallTypes): Type {
  return eachMember(
    target,
    (member) => (member.kind === "Null" ? nullType : string),
    unionOf([string, nullType]),
  );
}

/** Like `textsByName`, for the results of a search in the target: bytes if the target is bytes. */
export function groupsByName(call: CallTypes): ObjectType {
  return { ...textsByName, rest: textLikeTarget(call) };
}

/** A text, or null if there is none. */
export const textOrNull: Type = unionOf([string, nullType]);

/** An array of integers. */
export const integers: Type = arrayOf(integer);

/** The parts of a URL; `user` is present if the URL has one, and so is its password. */
export const urlParts: ObjectType = withOptional(
  objectOf(
    ["scheme", "opaque", "host", "path", "raw_path", "raw_query", "fragment", "raw_fragment"].map(
      (name) => [name, string] as const,
    ),
  ),
  "user",
  withOptional(objectOf([["name", string]]), "password", string),
);

/** The trace that a mapping writes into messages: empty if the gateway records none. */
export const injectedTrace: Type = withOptional(
  withOptional(objectOf([]), "traceparent", string),
  "tracestate",
  string,
);

/** The fields that propagate a trace, or null if there is none. */
export const traceFields: Type = unionOf([
  withOptional(objectOf([["traceparent", string]]), "tracestate", string),
  nullType,
]);

/** The fields of form text; repeated fields are arrays. */
export const formFields: ObjectType = {
  kind: "Object",
  fields: new Map(),
  rest: unionOf([string, arrayOf(string)]),
};

function withOptional(object: ObjectType, name: string, type: Type): ObjectType {
  const field: Field = { type, required: false };
  return { ...object, fields: new Map([...object.fields, [name, field]]) };
}

/** Returns records of separated values: objects with the names of the first record, or arrays if it is not a header. */
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

/** Returns the changes to another value; null for null. */
export function changes({ target }: CallTypes): Type {
  if (target.kind === "Unknown") return unionOf([nullType, arrayOf(change)]);
  return eachMember(target, (member) => (member.kind === "Null" ? nullType : arrayOf(change)));
}

/** Returns text for a key, or null; without a key, an object of all metadata. */
export function metadataText({ args: [key] }: CallTypes): Type {
  const name = key === undefined ? "" : literalText(key);
  if (name === undefined) return unionOf([string, nullType, textsByName]);
  return name === "" ? textsByName : textOrNull;
}

/** Returns a value for a key; without a key, an object of all metadata. Inference knows the keys. */
export function metadataValue({ args: [key] }: CallTypes): Type {
  return key === undefined || literalText(key) === "" ? anyObject : unknown;
}

/** Returns text, except for kinds of data that are numbers. */
export function fakeData({ args: [kind] }: CallTypes): Type {
  const name = kind === undefined ? "" : literalText(kind)?.toLowerCase();
  if (name === undefined) return unionOf([string, anyNumber]);
  if (name === "unix_time") return integer;
  return name === "latitude" || name === "longitude" ? float : string;
}

/** Returns the type of `counter`: an integer, whatever its queries return. */
export function counted({ target, args, queryResult }: CallTypes): Type {
  for (const [index, arg] of args.entries()) if (arg !== undefined) queryResult(index, target);
  return integer;
}

/** Returns the type of `random_int`: an integer. The seed is a query. */
export function random({ target, args: [seed], queryResult }: CallTypes): Type {
  if (seed !== undefined) queryResult(0, target);
  return integer;
}
