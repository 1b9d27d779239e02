// Secrets in the text of a document: every reader of the document has them.

import type { Report } from "../../../diagnostics/sink.ts";
import type { Span } from "../../../source/source.ts";
import type { FieldNode } from "../../../trees/api.ts";
import type { SchemedValue } from "../values.ts";
import { textWithHoles } from "../written-text.ts";

/** Reports secrets written out, and passwords within addresses. */
export function checkLiteralSecrets({ name, value, schema, owner }: SchemedValue, report: Report): void {
  const isHeader = owner?.schema["x-key-format"] === "header-name" && credentialHeader.test(name);
  if (isHeader || (schema["x-secret"] && !isAddress(value))) {
    const span = literalSecret(value);
    if (span !== undefined) report("GW4081", span, { field: name, variable: variableFor(name) });
    return;
  }
  // Where text goes to people or machines, an address in it is none that the gateway uses.
  if (schema["x-secret"] || schema["x-format"] !== undefined || schema.items?.["x-format"] !== undefined) {
    if (hasPassword(value)) report("GW4082", value.span, { variable: variableFor("password") });
  }
}

/** Headers that hold nothing but a credential. */
const credentialHeader = /^(?:(?:proxy-)?authorization|cookie|(?:x-)?api-?key)$/i;

/** The whole value, or the default of the one variable it is. */
function literalSecret(value: FieldNode): Span | undefined {
  if (value.kind === "Literal") {
    return typeof value.value === "string" && value.value !== "" ? value.span : undefined;
  }
  const only = value.kind === "Environment" && value.parts.length === 1 ? value.parts[0] : undefined;
  return only?.kind === "Variable" && (only.fallback ?? "") !== "" ? only.span : undefined;
}

/** An address, or the file of a database. */
function isAddress(value: FieldNode): boolean {
  const [start = ""] = textWithHoles(value) ?? [];
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|sqlite:|file:|:memory:$|[^\s:@=]+\.(?:db|sqlite3?)$)/i.test(start);
}

/** `scheme://user:password@host` with a password of which some part is written out. */
function hasPassword(value: FieldNode): boolean {
  const text = textWithHoles(value)?.join("\u0000");
  const [, password = ""] = /^[^/?#]*:\/\/[^/?#@:]*:([^/?#]*)@/.exec(text ?? "") ?? [];
  return password.replaceAll("\u0000", "") !== "";
}

/** A name for the environment: `PASSWORD` for `password`. */
function variableFor(field: string): string {
  return field.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}
