// Reports secrets in the text of a document, because every reader of the document can see them.

import { isSecretName } from "../../../diagnostics/secrets/names.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { Span } from "../../../source/source.ts";
import type { FieldNode } from "../../../trees/api.ts";
import type { SchemedValue } from "../values.ts";
import { textWithHoles } from "../written-text.ts";

/** Reports secrets written as plain text, and passwords and other secrets within addresses. */
export function checkLiteralSecrets({ name, value, schema, owner }: SchemedValue, report: Report): void {
  const isHeader = owner?.schema["x-key-format"] === "header-name" && credentialHeader.test(name);
  if (isHeader || (schema["x-secret"] && !isAddress(value))) {
    const span = literalSecret(value);
    if (span !== undefined) report("GW4081", span, { field: name, variable: variableFor(name) });
    return;
  }
  // A field that is neither a secret nor has a format is text for people or machines: the gateway uses no address in
  // it.
  if (schema["x-secret"] || schema["x-format"] !== undefined || schema.items?.["x-format"] !== undefined) {
    const text = textWithHoles(value)?.join("\u0000") ?? "";
    const parameter = secretParameter(text);
    if (hasPassword(text)) report("GW4082", value.span, { variable: variableFor("password") });
    else if (parameter !== undefined)
      report("GW4082", value.span, { variable: variableFor(parameter), parameter });
  }
}

/** Headers that contain nothing but a credential. */
const credentialHeader = /^(?:(?:proxy-)?authorization|cookie|(?:x-)?api-?key)$/i;

/** Returns the source range of the whole value, or of the default of the only variable in it. */
function literalSecret(value: FieldNode): Span | undefined {
  if (value.kind === "Literal") {
    return typeof value.value === "string" && value.value !== "" ? value.span : undefined;
  }
  const only = value.kind === "Environment" && value.parts.length === 1 ? value.parts[0] : undefined;
  return only?.kind === "Variable" && (only.fallback ?? "") !== "" ? only.span : undefined;
}

/** Whether the value is an address, or the file of a database. */
function isAddress(value: FieldNode): boolean {
  const [start = ""] = textWithHoles(value) ?? [];
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|sqlite:|file:|:memory:$|[^\s:@=]+\.(?:db|sqlite3?)$)/i.test(start);
}

/** Whether a text is `scheme://user:password@host` with at least a part of the password as plain text. */
function hasPassword(text: string): boolean {
  const [, password = ""] = /^[^/?#]*:\/\/[^/?#@:]*:([^/?#]*)@/.exec(text) ?? [];
  return password.replaceAll("\u0000", "") !== "";
}

/** Returns the first parameter of an address that has the name of a secret and at least a part of its value as plain text. */
function secretParameter(text: string): string | undefined {
  const [, query = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^?#]*\?([^#]*)/i.exec(text) ?? [];
  for (const assigned of query.split("&")) {
    const [name = "", value = ""] = assigned.split("=", 2);
    if (value.replaceAll("\u0000", "") !== "" && isSecretName(name)) return name;
  }
  return undefined;
}

/** Returns a name for an environment variable: `PASSWORD` for `password`. */
function variableFor(field: string): string {
  return field.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}
