// Renders the signature of a builtin for people; editors and docs/reference.md show the same text.

import { printType } from "../value-types/print.ts";
import { type Type, unknown } from "../value-types/type.ts";
import { sameType } from "../value-types/union.ts";
import { acceptedTarget, anyText, namedTypes, resultOfCall } from "./accepted.ts";
import type { Builtin, DefaultValue, Parameter, ParameterTypeName } from "./builtin.ts";

/** Maximum length of a type; longer ones end in `…`. */
const longestType = 120;

/**
 * Returns the signature of a builtin, such as `text.trim(cutset?: string) → text` or `range(start: integer, stop:
 * integer, step: integer = 1) → integer[]`. `text` is a string or bytes. A method that accepts any target begins with
 * `any`. The result `unknown` depends on values.
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

/** Returns the result type of a call with all arguments, any accepted types and unknown queries. */
function widestResult(builtin: Builtin): Type {
  const names = builtin.variadic ? [builtin.variadicType] : builtin.parameters.map(({ type }) => type);
  return resultOfCall(builtin, {
    target: acceptedTarget(builtin),
    args: names.map((name) => argumentTypes[name]),
    areConstant: false,
    queryResult: () => unknown,
  });
}

/** The declared types of arguments, without the other types that are converted to them. */
const argumentTypes: { readonly [N in ParameterTypeName]: Type } = {
  ...namedTypes,
  float: namedTypes.number,
  query: unknown,
};

function typeText(type: Type): string {
  return sameType(type, anyText) ? "text" : printType(type, { maximumLength: longestType });
}
