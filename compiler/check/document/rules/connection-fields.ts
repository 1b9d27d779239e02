// Message contents in fields that are read on connecting.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { innerFields } from "../../../trees/fields.ts";
import type { Template } from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";

/** Reports interpolations that need a message where there is none. */
export function checkConnectionFields({ config, descriptor }: ComponentNode, report: Report): void {
  const schema = descriptor?.schema;
  if (schema !== undefined) checkFields(schema, config, report);
}

/** The same for any value and its schema; `x-before-messages` says which fields these are. */
export function checkFields(schema: Schema, value: FieldNode, report: Report): void {
  if (value.kind !== "Object") return;
  for (const field of value.fields) {
    const own = schema.properties?.[field.name];
    if (own?.["x-before-messages"]) reportTemplates(field.name, field.value, report);
    else if (own !== undefined) checkFields(own, field.value, report);
  }
}

function reportTemplates(field: string, value: FieldNode, report: Report): void {
  if (value.kind === "Template" && readsMessage(value.template)) report("GW4065", value.span, { field });
  for (const inner of innerFields(value)) reportTemplates(field, inner, report);
}

/** Functions that ask for the message at hand. */
const messageFunctions: ReadonlySet<string> = new Set([
  "batch_index",
  "batch_size",
  "content",
  "error",
  "errored",
  "json",
  "meta",
  "metadata",
  "root_meta",
]);

function readsMessage(template: Template): boolean {
  let isRead = false;
  const found = () => {
    isRead = true;
  };
  walk(template, {
    This: found,
    Root: found,
    Metadata: found,
    FunctionCall({ name }) {
      if (messageFunctions.has(name.text)) found();
    },
  });
  return isRead;
}
