// Values without parts against what is wanted.

import type { Alternative } from "../alternatives.ts";
import type { Mismatch } from "../mismatch.ts";

/** How a value and an option are related. */
type Relation = "fits" | "may fit" | "other value" | "other kind";

/** Why no option takes `found`; nothing where one does. */
export function compareScalar(found: Alternative, options: readonly Alternative[]): readonly Mismatch[] {
  const relations = options.map((option) => relate(found, option));
  if (relations.includes("fits")) return [];
  const base = { path: [], found } as const;
  if (found.kind === "Null") return [{ ...base, problem: "null", certain: true }];
  const mayFit = relations.includes("may fit");
  // Numbers that may have a fraction where integers are wanted are another kind, not another value.
  const isValue = found.kind !== "Float" && (mayFit || relations.includes("other value"));
  return [{ ...base, problem: isValue ? "value" : "type", certain: !mayFit }];
}

function relate(found: Alternative, option: Alternative): Relation {
  switch (found.kind) {
    case "Bytes":
    case "Timestamp":
      // In a message both are texts; which, is not known.
      if (option.kind === found.kind) return "fits";
      if (option.kind !== "String") return "other kind";
      return option.value === undefined ? "fits" : "may fit";
    case "Float":
      if (option.kind === "Float") return "fits";
      return option.kind === "Integer" ? "may fit" : "other kind";
    case "Integer":
      if (option.kind === "Float") return "fits";
      return option.kind === "Integer" ? relateValues(found.value, option.value) : "other kind";
    case "Bool":
      return option.kind === "Bool" ? relateValues(found.value, option.value) : "other kind";
    case "String":
      return option.kind === "String" ? relateValues(found.value, option.value) : "other kind";
    default:
      return option.kind === found.kind ? "fits" : "other kind";
  }
}

function relateValues<T>(found: T | undefined, wanted: T | undefined): Relation {
  if (wanted === undefined || found === wanted) return "fits";
  return found === undefined ? "may fit" : "other value";
}
