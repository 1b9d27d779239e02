// Folded data as literals of the runtime's values.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { ConstantValue } from "../../plan/mapping/ir.ts";
import { type Code, code, list, literal, objectOf } from "../code.ts";
import { type Emitted, precedences, primary } from "./precedence.ts";
import { runtime } from "./runtime.ts";

/** The literal of a constant: whole floats are objects, integers beyond the safe ones bigints. */
export function emitConstant(value: ConstantValue): Emitted {
  const negative = (typeof value === "bigint" || typeof value === "number") && value < 0;
  return negative ? { code: constantCode(value), level: precedences.unary } : primary(constantCode(value));
}

function constantCode(value: ConstantValue): Code {
  if (value === null || typeof value === "boolean" || typeof value === "string") return literal(value);
  if (typeof value === "bigint") {
    const small = Number(value);
    return literal(Number.isSafeInteger(small) ? small : value);
  }
  switch (value.kind) {
    case "float":
      return Number.isInteger(value.value)
        ? code`new ${runtime("WholeFloat")}(${value.value})`
        : literal(value.value);
    case "array":
      return list("[", value.items.map(constantCode), "]");
    case "object":
      return objectOf([...value.entries].map(([key, each]) => [key, constantCode(each)]));
    default:
      return unreachable(value);
  }
}
