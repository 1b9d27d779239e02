// A builtin in, its signature as people read it out; editors and docs/reference.md show the same.

import { printType } from "../value-types/print.ts";
import { type Type, unknown } from "../value-types/type.ts";
import { sameType } from "../value-types/union.ts";
import { acceptedTarget, anyText, namedTypes, resultOfCall } from "./accepted.ts";
import type { Builtin, DefaultValue, Parameter, ParameterTypeName } from "./builtin.ts";

/** Longer types end in `…`. */
const longestType = 120;

/**
 * `text.trim(cutset?: string) → text`, `range(start: integer, stop: integer, step: integer = 1) → integer[]`.
 * `text` is a string or bytes; a method of any value begins with `any`, and
 * `unknown` is a result that is unknown before there are values.
 */
export function signatureOf(builtin: Builtin): string {
  const subject = builtin.kind === "function" ? "" : `${subjectOf(builtin)}.`;
  const parameters = builtin.variadic
    ? [`…: ${builtin.variadicType}`]
    : builtin.parameters.map(parameterText);
  return `${subject}${builtin.name}(${parameters.join(", ")}) → ${typeText(widestResult(builtin))}`;
}

function subjectOf({ targets }: Builtin): string {
  if (targets.length === 0) return "any";
  const isText = targets.includes("string") && targets.includes("bytes");
  const rest = targets.filter((name) => !isText || (name !== "string" && name !== "bytes"));
  const names = isText ? ["text", ...rest] : rest;
  return names.length === 1 ? names.join("") : `(${names.join(" | ")})`;
}

function parameterText(parameter: Parameter): string {
  const { name, items, optional } = parameter;
  const type = items === undefined ? parameter.type : `${items}[]`;
  const fallback = parameter.default === undefined ? "" : ` = ${defaultText(parameter.default)}`;
  return `${name}${optional === true ? "?" : ""}: ${type}${fallback}`;
}

function defaultText(value: DefaultValue): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "object" && value !== null) return String(value.value);
  return JSON.stringify(value);
}

/** Of a call on whatever is taken, with all arguments, of whose queries nothing is known. */
function widestResult(builtin: Builtin): Type {
  const names = builtin.variadic ? [builtin.variadicType] : builtin.parameters.map(({ type }) => type);
  return resultOfCall(builtin, {
    target: acceptedTarget(builtin),
    args: names.map((name) => argumentTypes[name]),
    queryResult: () => unknown,
  });
}

/** Arguments as they are meant, before what else counts as one. */
const argumentTypes: { readonly [N in ParameterTypeName]: Type } = {
  ...namedTypes,
  float: namedTypes.number,
  query: unknown,
};

function typeText(type: Type): string {
  return sameType(type, anyText) ? "text" : printType(type, { maximumLength: longestType });
}
