// A plan as text, for people who look into the compiler.

import { hideSecretsIn } from "../diagnostics/secrets/without-secrets.ts";
import type { Plan } from "../plan/plan.ts";
import { locate, type SourceFile, type Span } from "../source/source.ts";

/** The plan as JSON, spans as `file:line:column`, without the secrets of its documents. */
export function renderPlan(plan: Plan): string {
  const files = new Set<SourceFile>();
  const text = JSON.stringify(
    plan,
    (key, value: unknown) => (key === "descriptor" ? undefined : readable(value, files)),
    2,
  );
  return hideSecretsIn([...files])(text);
}

function readable(value: unknown, files: Set<SourceFile>): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (!isSpan(value)) return value;
  const { file, start } = locate(value);
  files.add(file);
  return `${file.path}:${start.line}:${start.column}`;
}

function isSpan(value: unknown): value is Span {
  return (
    typeof value === "object" && value !== null && "source" in value && "start" in value && "end" in value
  );
}
