// Templates as template literals.

import { invariant } from "../../diagnostics/invariant.ts";
import type { Planned, TemplatePlan } from "../../plan/mapping/ir.ts";
import { type Code, call, code, join, literal, raw } from "../code.ts";
import { quoteText } from "../quote.ts";
import { findCertainReadOf } from "./certain.ts";
import { emitExpression } from "./expressions.ts";
import { runtime } from "./runtime.ts";
import { type EmitScope, readDocument } from "./scope.ts";

/** `` `orders-${textOf(…)}` ``; a single query is only its text. */
export function emitText(plan: TemplatePlan, scope: EmitScope): Code {
  const bound = bindDocument(plan, scope);
  const [only] = plan.parts;
  if (only === undefined) return literal("");
  if (plan.parts.length === 1) return typeof only === "string" ? literal(only) : emitPart(only, bound);
  const parts = plan.parts.map((part) =>
    typeof part === "string" ? raw(escapeTemplate(part)) : code`\${${emitPart(part, bound)}}`,
  );
  return join([raw("`"), ...parts, raw("`")]);
}

function bindDocument(plan: TemplatePlan, scope: EmitScope): EmitScope {
  const query = plan.parts.find((part) => typeof part !== "string");
  const reference = query === undefined ? undefined : findCertainReadOf(query);
  if (reference === undefined) return scope;
  const name = raw(scope.names.claim("document", "document"));
  scope.prelude.push(code`const ${name} = ${readDocument(scope, reference)};`);
  return { ...scope, document: name };
}

function emitPart(part: Planned, scope: EmitScope): Code {
  const { code: value } = emitExpression(part, scope);
  return part.type === "string" ? value : call(runtime("textOf"), [value]);
}

/** Text between the backticks of a template literal. */
function escapeTemplate(text: string): string {
  const quoted = quoteText(text);
  invariant(quoted.length >= 2, "a quoted text has its quotes");
  return quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}
