// Bare names that read a field and were to call a function.

import type { FieldAccess } from "../../trees/mapping.ts";
import { fieldOf } from "../../value-types/fields.ts";
import type { Type } from "../../value-types/type.ts";
import type { Scope } from "./scope.ts";

/** Functions that are called without arguments, and whose names messages have as fields just as well. */
const likeFields: ReadonlySet<string> = new Set([
  "content",
  "count",
  "counter",
  "error",
  "hostname",
  "json",
  "meta",
  "metadata",
  "pi",
]);

/** Tells `now` for `now()`, where nothing declares a field `now`; true where it was told. */
export function tellUncalled({ receiver, name }: FieldAccess, holder: Type, scope: Scope): boolean {
  if (receiver.kind !== "This" || !receiver.implicit || likeFields.has(name.text)) return false;
  const isFunction = scope.inference.facts.builtins
    .findFunction(name.text)
    ?.parameters.every((parameter) => parameter.optional === true || parameter.default !== undefined);
  if (isFunction !== true || fieldOf(holder, name.text).declared) return false;
  scope.inference.report("GW4139", name.span, { name: name.text });
  return true;
}
