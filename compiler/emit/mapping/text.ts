// Templates as template literals.

import type { Planned, TemplatePlan } from "../../plan/mapping/ir.ts";
import { type Code, call, code, literal, raw, templateLiteral } from "../code.ts";
import { findCertainReadOf } from "./certain.ts";
import { emitExpression } from "./dispatch.ts";
import { runtime } from "./runtime.ts";
import { type EmitScope, readInAdvance } from "./scope.ts";

/** `` `orders-${textOf(…)}` ``; a single query is only its text. */
export function emitText(plan: TemplatePlan, scope: EmitScope): Code {
  const bound = bindDocument(plan, scope);
  const [only] = plan.parts;
  if (only === undefined) return literal("");
  if (plan.parts.length === 1) return typeof only === "string" ? literal(only) : emitPart(only, bound);
  return templateLiteral(plan.parts.map((part) => (typeof part === "string" ? part : emitPart(part, bound))));
}

function bindDocument(plan: TemplatePlan, scope: EmitScope): EmitScope {
  const query = plan.parts.find((part) => typeof part !== "string");
  const read = query === undefined ? undefined : findCertainReadOf(query);
  if (read === undefined) return scope;
  const name = raw(scope.names.claim("document", "document"));
  scope.prelude.push(code`const ${name} = ${readInAdvance(scope, read)};`);
  return { ...scope, document: name };
}

function emitPart(part: Planned, scope: EmitScope): Code {
  const { code: value } = emitExpression(part, scope);
  return part.type === "string" ? value : call(runtime("textOf"), [value]);
}
