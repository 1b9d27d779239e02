// Derives facts about an expression from its parts.

import type { ConstantValue } from "../../check/mapping/constant.ts";
import type { Span } from "../../source/source.ts";
import type { Coalesce, Constant, Planned, StaticType } from "./ir.ts";

/** The fields every planned expression has. */
export interface Facts {
  readonly span: Span;
  readonly from: string;
  readonly type: StaticType;
  readonly fails: Planned["fails"];
  readonly absence: boolean;
}

/** Returns the facts of an expression that can fail for any reason and can be any value except an absence. */
export function anything(span: Span, from: string): Facts {
  return { span, from, type: "any", fails: "maybe", absence: false };
}

/** Returns the most severe failure mode among the parts. */
export function worst(...parts: readonly Planned["fails"][]): Planned["fails"] {
  if (parts.includes("maybe")) return "maybe";
  return parts.includes("document") ? "document" : "never";
}

/** Returns the type that all entries have in common, otherwise `any`. */
export function commonType(types: readonly StaticType[]): StaticType {
  const [first = "any", ...rest] = types;
  return rest.every((type) => type === first) ? first : "any";
}

/** Returns a constant as an expression. */
export function constant(span: Span, value: ConstantValue): Constant {
  const type = staticTypeOf(value);
  const from = `${typeNames[type] ?? type} literal`;
  return { kind: "Constant", span, value, from, type, fails: "never", absence: false };
}

/** Names of types in error texts, where they differ from the static type. */
const typeNames: Partial<Record<StaticType, string>> = { boolean: "bool", integer: "number" };

function staticTypeOf(value: ConstantValue): StaticType {
  if (value === null) return "null";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "boolean" || typeof value === "string")
    return typeof value === "string" ? "string" : "boolean";
  return value.kind === "float" ? "number" : value.kind;
}

/** Returns the side of `left | right` that is the result for every message, so that the other side never runs. */
export function decidedSide({ left, right }: Coalesce): Planned | undefined {
  if (left.fails !== "never" || left.absence) return undefined;
  if (left.type === "null") return right;
  return isNeverNull(left) ? left : undefined;
}

function isNeverNull(node: Planned): boolean {
  if (node.kind === "Coalesce") return !node.absence && node.fails === "never" && isNeverNull(node.right);
  return node.type !== "any" && node.type !== "null";
}
