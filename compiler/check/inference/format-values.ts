// `"%d of %s".format(count, name)`: verbs against the types of the values they write. A verb that is not for a value
// writes `%!d(string=a)`, and nothing fails.

import type { MethodCall } from "../../trees/mapping.ts";
import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import type { Type } from "../../value-types/type.ts";
import { verbs } from "../mapping/layouts.ts";
import { shownTypes } from "./demands.ts";
import type { Scope } from "./scope.ts";

const whole = ["Integer"];
const fraction = ["Float"];
const text = ["String", "Bytes", "Timestamp"];

/** What each verb is for, of values that are not arrays and objects; those are written part by part. */
const kindsByVerb: Readonly<Record<string, readonly string[]>> = {
  d: whole,
  o: whole,
  c: whole,
  U: whole,
  e: fraction,
  E: fraction,
  f: fraction,
  F: fraction,
  g: fraction,
  G: fraction,
  s: text,
  t: ["Bool"],
};

/** Tells of the first value that its verb is not for, whatever value of its type it is; others may have moved with it. */
export function tellFormat(
  { name, receiver, args }: MethodCall,
  types: readonly (Type | undefined)[],
  scope: Scope,
): void {
  if (name.text !== "format" || receiver.kind !== "StringLiteral" || scope.isRepeated) return;
  if (/%[^A-Za-z%]*[[*]/.test(receiver.value)) return;
  const written = [...receiver.value.matchAll(verbs)].filter(({ groups }) => groups?.verb !== "%");
  if (written.length !== args.length) return;
  for (const [index, match] of written.entries()) {
    const wanted = kindsByVerb[match.groups?.verb ?? ""];
    const found = alternativesOf(types[index] ?? { kind: "Unknown" });
    const arg = args[index];
    if (wanted === undefined || arg === undefined || found.length === 0) continue;
    if (!found.every((each) => isUnfit(each, wanted))) continue;
    scope.inference.report("GW3131", arg.span, { verb: match[0], found: shownTypes(found) });
    return;
  }
}

function isUnfit({ kind }: Alternative, wanted: readonly string[]): boolean {
  return ["Bool", "Integer", "Float", "String"].includes(kind) && !wanted.includes(kind);
}
