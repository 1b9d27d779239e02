// A plan as text, for people who look into the compiler.

import type { Plan } from "../plan/plan.ts";
import { locate, type Span } from "../source/source.ts";

/** The plan as JSON, spans as `file:line:column`. */
export function renderPlan(plan: Plan): string {
  return JSON.stringify(plan, (_key, value: unknown) => readable(value), 2);
}

function readable(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (!isSpan(value)) return value;
  const { file, start } = locate(value);
  return `${file.path}:${start.line}:${start.column}`;
}

function isSpan(value: unknown): value is Span {
  return (
    typeof value === "object" && value !== null && "source" in value && "start" in value && "end" in value
  );
}
