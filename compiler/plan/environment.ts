// Reads of the environment as plan values: what stands in for a variable that is not set is read by the type
// of its field.

import { parseDuration } from "../../schemas/duration.ts";
import type { EnvironmentField, EnvironmentPart } from "../trees/api.ts";
import type { EnvironmentPartPlan, EnvironmentPlan, Fallback } from "./plan.ts";

/** Parts of a longer text are texts themselves; only a lone one has the type of its field. */
export function planEnvironment({ type, parts, limit, isSplit }: EnvironmentField): EnvironmentPlan {
  const partType = parts.length === 1 ? type : "string";
  const planned = parts.map((part) => planEnvironmentPart(part, partType));
  return {
    kind: "Environment",
    type,
    parts: planned,
    ...(limit === undefined ? {} : { limit }),
    ...(isSplit === undefined ? {} : { isSplit }),
  };
}

/** One part, its fallback read as `type`. */
export function planEnvironmentPart(
  part: EnvironmentPart,
  type: EnvironmentField["type"],
): EnvironmentPartPlan {
  switch (part.kind) {
    case "Text":
      return part;
    case "File":
      return { kind: "File", path: part.path };
    case "Request":
      return { kind: "Request", name: `${part.source}.${part.name}` };
    case "Variable": {
      const { name, fallback, span } = part;
      return {
        kind: "Variable",
        name,
        span,
        ...(fallback === undefined ? {} : { fallback: readFallback(fallback, type) }),
      };
    }
  }
}

/** A default as the value it stands for; the parser has made sure that it reads as its field's type. */
function readFallback(text: string, type: EnvironmentField["type"]): Fallback {
  switch (type) {
    case "string":
      return text;
    case "integer":
    case "number":
      return Number(text);
    case "boolean":
      return text === "true";
    case "duration":
      return parseDuration(text) ?? 0;
    case "list":
      return text.split(",").map((item) => item.trim());
  }
}
