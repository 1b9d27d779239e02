// The mappings that make of a stream's messages what its outputs get.

import type { ComponentNode, FieldNode, StreamNode } from "../../trees/api.ts";
import { findField, innerFields } from "../../trees/fields.ts";
import type { Mapping } from "../../trees/mapping.ts";

/**
 * The mappings of a pipeline in the order written, those of `switch` cases included. Of a `branch` only the
 * mapping that writes to the message: the others are about what is asked of somebody else.
 */
export function pipelineMappings({ processors }: StreamNode): readonly Mapping[] {
  return processors.flatMap(mappingsOf);
}

function mappingsOf({ name, config }: ComponentNode): readonly Mapping[] {
  return mappingsIn(name === "branch" ? findField(config, "result_map") : config);
}

function mappingsIn(field: FieldNode | undefined): readonly Mapping[] {
  if (field?.kind === "Mapping") return [field.mapping];
  if (field?.kind === "Component") return mappingsOf(field.component);
  return field === undefined ? [] : innerFields(field).flatMap(mappingsIn);
}
