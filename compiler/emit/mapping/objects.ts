// Object literals with parts that are not constant.

import type { MakeObject, Planned } from "../../plan/mapping/ir.ts";
import { type Code, call, code, list, literal, propertyKey, softBreak } from "../code.ts";
import { functionOf } from "./closures.ts";
import { emitValue } from "./dispatch.ts";
import { type Emitted, primary } from "./precedence.ts";
import { runtime } from "./runtime.ts";
import { canFail, type EmitScope, keyPart, nestedScope } from "./scope.ts";

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
