// Rules about subscriptions of brokers.

import { literalForms } from "../../../../schemas/formats/formats.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { findKey } from "../../../model/components.ts";
import { optionsNamed } from "../../../model/options.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { printVariable } from "../../../trees/named-variables.ts";
import { requestParts } from "./request-variables.ts";

const wildcardOptions = optionsNamed(["allow_wildcards"]);

/** Warns about `allow_wildcards: true`, with the fields that it affects, or because it affects none. */
export function checkWildcards(component: ComponentNode, report: Report): void {
  const { name, role, config, descriptor } = component;
  const option = wildcardOptions(component)?.allow_wildcards;
  const allowed = option?.isTrue ? option.value : undefined;
  if (allowed === undefined || config.kind !== "Object") return;
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

const sessionOptions = optionsNamed(["clean_session", "client_id", "dynamic_client_id_suffix"]);

/**
 * Reports `clean_session: false` without a client id, by which the broker stores the session, or with a changing one.
 */
export function checkSession(component: ComponentNode, report: Report): void {
  const options = sessionOptions(component);
  if (options === undefined) return;
  const { clean_session: clean, client_id: id, dynamic_client_id_suffix: suffix } = options;
  if (clean.nameSpan === undefined || !clean.isSwitchedOff) return;
  const isUnread = id.value === undefined && findKey(component, id.name) !== undefined;
  if (!isUnread && !id.isGiven) report("GW4043", clean.nameSpan, {});
  if (suffix.nameSpan !== undefined) report("GW4186", suffix.nameSpan, {});
}
