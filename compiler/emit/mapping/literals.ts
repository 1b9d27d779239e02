// Folded data as literals of the runtime's values.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { ConstantValue, MakeObject, Planned } from "../../plan/mapping/ir.ts";
import { type Code, call, code, list, literal, objectOf, propertyKey, softBreak } from "../code.ts";
import { functionOf } from "./closures.ts";
import { emitValue } from "./dispatch.ts";
import { type Emitted, precedences, primary } from "./precedence.ts";
import { runtime } from "./runtime.ts";
import { canFail, type EmitScope, keyPart, nestedScope } from "./scope.ts";

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

/** `{ key: value }`; of equal keys the last one counts, as in JavaScript. */
export function emitObject({ entries }: MakeObject, scope: EmitScope): Emitted {
  const kept = entries.filter(
    ({ key }, index) => !entries.slice(index + 1).some((later) => later.key === key),
  );
  const written = kept.map(({ key, value }) =>
    typeof key === "string"
      ? code`${propertyKey(key)}: ${emitEntry(key, value, scope)}`
      : code`[${call(runtime("keyOf"), [emitValue(key, scope)])}]: ${emitValue(value, scope)}`,
  );
  const object = list("{", written, "}", softBreak);
  const sparse = entries.some(({ value }) => value.absence);
  return primary(sparse ? call(runtime("compactObject"), [object]) : object);
}

/** A value whose failure names its key. */
function emitEntry(key: string, value: Planned, scope: EmitScope): Code {
  if (!canFail(value, scope)) return emitValue(value, scope);
  const inner = nestedScope(scope);
  return call(runtime("within"), [literal(keyPart(key)), functionOf([], emitValue(value, inner), inner)]);
}
