// Processors that let through more messages than came, or fewer: a `branch` cannot tell any more which is which.

import { descriptorOf } from "../../../../schemas/component.ts";
import { nestedComponents } from "../../../model/components.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { walk } from "../../../trees/walk.ts";
import type { StreamFailure } from "./stream-failure.ts";

/** The failure of a `branch`, described by `config`, whose processors may not keep the number of messages. */
export function miscounts(component: ComponentNode, config: FieldNode): readonly StreamFailure[] {
  const isSure = !nestedComponents(config).some(mayChangeCount);
  if (isSure) return [];
  return [
    { component, span: component.nameSpan, reason: "its processors may change the number of messages" },
  ];
}

function mayChangeCount({ descriptor, config }: ComponentNode): boolean {
  const processor = descriptorOf("processor", { descriptor });
  if (processor === undefined || processor.changesCount === true || mayDelete(config)) return true;
  // Branches see to the number of the messages inside them.
  const isSideways = processor.flow.kind === "branch" || processor.flow.kind === "workflow";
  return !isSideways && nestedComponents(config).some(mayChangeCount);
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
