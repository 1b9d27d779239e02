// The mappings that make of a stream's messages what its outputs get.

import type { ComponentNode, FieldNode, StreamNode } from "../../parse/document/api.ts";
import type { Mapping } from "../../parse/mapping/ast.ts";
import { findField } from "./components.ts";

/**
 * The mappings of a pipeline in the order written, those of `switch` cases included. Of a `branch` only the
 * mapping that writes to the message: the others are about what is asked of somebody else.
 */
export function pipelineMappings({ processors }: StreamNode): readonly Mapping[] {
  return processors.flatMap(mappingsOf);
}

function mappingsOf({ name, config }: ComponentNode): readonly Mapping[] {
  return mappingsIn(name === "branch" ? findField(config, "result_map")?.value : config);
}

function mappingsIn(field: FieldNode | undefined): readonly Mapping[] {
  switch (field?.kind) {
    case "Mapping":
      return [field.mapping];
    case "Component":
      return mappingsOf(field.component);
    case "List":
      return field.items.flatMap(mappingsIn);
    case "Object":
      return field.fields.flatMap(({ value }) => mappingsIn(value));
    default:
      return [];
  }
}
