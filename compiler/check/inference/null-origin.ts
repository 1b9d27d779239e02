// Finds what the schemas of a message declare about the value of an expression: its format, and what allows it to be
// null. Only a value that the author has declared optional or nullable is worth reporting: for any other value it is
// unknown whether it is ever null.

import type { Span } from "../../source/source.ts";
import type { Expression } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { fieldOf } from "../../value-types/fields.ts";
import { isNullable } from "../../value-types/kinds.ts";
import type { ObjectType, Type } from "../../value-types/type.ts";
import { findState } from "./environment.ts";
import { referenceOf } from "./narrowing/references.ts";
import { type NullOrigin, plainView } from "./place.ts";
import type { Scope } from "./scope.ts";

/** Returns where it was declared that the value of `node` can be null; `undefined` if it was not. */
export function nullOriginOf(node: Expression, scope: Scope): NullOrigin | undefined {
  const reference = referenceOf(node, scope);
  if (reference === undefined || reference.view !== plainView) return undefined;
  const state = findState(scope.environment, reference.place);
  if (state === undefined) return undefined;
  const declared = originAlong(state.type, reference.path);
  if (declared !== undefined) return declared;
  if (state.nullFrom !== undefined) return state.nullFrom;
  const { alias } = reference.place;
  const outer = alias?.view === plainView ? findState(scope.environment, alias.place) : undefined;
  return outer === undefined || alias === undefined
    ? undefined
    : originAlong(outer.type, [...alias.path, ...reference.path]);
}

function originAlong(type: Type, path: readonly string[]): NullOrigin | undefined {
  let at = type;
  for (const name of path) {
    const objects = alternativesOf(at).filter((each) => each.kind === "Object");
    let declared: Span | undefined;
    for (const { fields } of objects) {
      const field = fields.get(name);
      if (field?.span === undefined || field.type.kind === "Unknown") continue;
      if (!field.required) return { span: field.span, reason: "optional" };
      if (isNullable(field.type)) return { span: field.span, reason: "nullable" };
      declared ??= field.span;
    }
    if (declared !== undefined && objects.some((each) => excludes(each, name)))
      return { span: declared, reason: "in only some of the alternatives" };
    at = fieldOf(at, name).type;
  }
  return undefined;
}

/** Whether an alternative of a schema declares other fields, and forbids all that it does not declare. */
function excludes({ fields, rest }: ObjectType, name: string): boolean {
  return rest === undefined && !fields.has(name) && fields.values().some(({ span }) => span !== undefined);
}

/** Returns the format of the texts that `node` reads; `undefined` if its schemas name none, or several. */
export function formatOf(node: Expression, scope: Scope): string | undefined {
  const reference = referenceOf(node, scope);
  if (reference === undefined || reference.view !== plainView) return undefined;
  const [name, ...before] = reference.path.toReversed();
  const state = findState(scope.environment, reference.place);
  if (state === undefined || name === undefined) return undefined;
  const holder = before.reduceRight((at, each) => fieldOf(at, each).type, state.type);
  const formats = alternativesOf(holder).flatMap((each) => {
    const field = each.kind === "Object" ? each.fields.get(name) : undefined;
    return field === undefined ? [] : [field.format];
  });
  return new Set(formats).size === 1 ? formats[0] : undefined;
}
