// Processors that let through more messages than came, or fewer: a `branch` cannot tell any more which is which.

import type { ComponentNode, FieldNode } from "../../../parse/document/api.ts";
import { walk } from "../../../parse/mapping/walk.ts";
import { nestedComponents } from "../../document/components.ts";
import { knownFailures } from "./own-failures.ts";
import type { StreamFailure } from "./stream-failure.ts";

const counting: ReadonlySet<string> = new Set([
  "archive",
  "bounds_check",
  "cached",
  "dedupe",
  "insert_part",
  "select_parts",
  "unarchive",
]);

/** Processors that see to the number of the messages inside them. */
const sideways: ReadonlySet<string> = new Set(["branch", "workflow"]);

/** The failure of a `branch`, described by `config`, whose processors may not keep the number of messages. */
export function miscounts(component: ComponentNode, config: FieldNode): readonly StreamFailure[] {
  const isSure = !nestedComponents(config).some(mayChangeCount);
  if (isSure) return [];
  return [
    { component, span: component.nameSpan, reason: "its processors may change the number of messages" },
  ];
}

function mayChangeCount({ name, config }: ComponentNode): boolean {
  if (counting.has(name) || !knownFailures.has(name) || mayDelete(config)) return true;
  return !sideways.has(name) && nestedComponents(config).some(mayChangeCount);
}

/** Whether a field is a mapping that says `deleted()` somewhere, or imports what may. */
export function mayDelete(config: FieldNode): boolean {
  if (config.kind !== "Mapping") return false;
  let found = config.mapping.from !== undefined;
  walk(config.mapping, {
    FunctionCall({ name }) {
      if (name.text === "deleted") found = true;
    },
    Import() {
      found = true;
    },
  });
  return found;
}
