// What the plan knows of an expression from its parts.

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

/** Facts of an expression that can fail with anything and gives any value but an absence. */
export function anything(span: Span, from: string): Facts {
  return { span, from, type: "any", fails: "maybe", absence: false };
}

/** The worst of what the parts can do. */
export function worst(...parts: readonly Planned["fails"][]): Planned["fails"] {
  if (parts.includes("maybe")) return "maybe";
  return parts.includes("document") ? "document" : "never";
}

/** The type all of them have, else `any`. */
export function commonType(types: readonly StaticType[]): StaticType {
  const [first = "any", ...rest] = types;
  return rest.every((type) => type === first) ? first : "any";
}

/** A constant as an expression. */
export function constant(span: Span, value: ConstantValue): Constant {
  const type = staticTypeOf(value);
  const from = `${typeNames[type] ?? type} literal`;
  return { kind: "Constant", span, value, from, type, fails: "never", absence: false };
}

/** What error texts call a type, where that is another word. */
const typeNames: Partial<Record<StaticType, string>> = { boolean: "bool", integer: "number" };

function staticTypeOf(value: ConstantValue): StaticType {
  if (value === null) return "null";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "boolean" || typeof value === "string")
    return typeof value === "string" ? "string" : "boolean";
  return value.kind === "float" ? "number" : value.kind;
}

/** The side of `left | right` that gives its value whatever the message is; the other one never runs. */
export function decidedSide({ left, right }: Coalesce): Planned | undefined {
  if (left.fails !== "never" || left.absence) return undefined;
  if (left.type === "null") return right;
  return isNeverNull(left) ? left : undefined;
}

function isNeverNull(node: Planned): boolean {
  if (node.kind === "Coalesce") return !node.absence && node.fails === "never" && isNeverNull(node.right);
  return node.type !== "any" && node.type !== "null";
}
