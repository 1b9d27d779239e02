// Rules about subscriptions of brokers.

import { literalForms } from "../../../../schemas/formats/formats.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { findKey } from "../../../model/components.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";
import { printVariable } from "../../../trees/named-variables.ts";
import { requestParts } from "./request-variables.ts";

/** Warns about `allow_wildcards: true`, with the fields that it affects, or because it affects none. */
export function checkWildcards({ name, role, config, descriptor }: ComponentNode, report: Report): void {
  const allowed = findField(config, "allow_wildcards");
  if (allowed?.kind !== "Literal" || allowed.value !== true || config.kind !== "Object") return;
  const properties = descriptor?.schema.properties ?? {};
  const patterns = config.fields.filter((field) => takesPattern(properties[field.name]));
  const places = patterns.flatMap(({ name: field, value }) => [
    ...requestParts(value).map(printVariable),
    ...(readsMessages(value) ? [field] : []),
  ]);
  const variables = [...new Set(places)];
  const what = `\`${name}\` ${role}`;
  if (variables.length > 0) report("GW4300", allowed.span, { variables, what });
  else report("GW4301", allowed.span, { what });
}

function readsMessages(value: FieldNode): boolean {
  if (value.kind === "Template") return value.parts.some(({ kind }) => kind === "QueryPart");
  return value.kind === "Mapping";
}

function takesPattern(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  const format = schema["x-format"];
  if (schema["x-written-texts"] === true) return true;
  if (format !== undefined && literalForms[format] !== undefined) return true;
  return takesPattern(schema.items) || Object.values(schema.properties ?? {}).some(takesPattern);
}

/**
 * Reports `clean_session: false` without a client id, by which the broker stores the session, or with a changing one.
 */
export function checkSession(component: ComponentNode, report: Report): void {
  const { config } = component;
  const clean = findNamedField(config, "clean_session");
  if (clean?.value.kind !== "Literal" || clean.value.value !== false) return;
  const id = findNamedField(config, "client_id");
  if (findKey(component, "client_id") === undefined || literalText(id?.value) === "")
    report("GW4043", clean.nameSpan, {});
  const suffix = findNamedField(config, "dynamic_client_id_suffix");
  if (suffix !== undefined) report("GW4186", suffix.nameSpan, {});
}
