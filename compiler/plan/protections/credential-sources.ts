// Where the credential of a scheme is in requests: as the scheme describes it, and as the part of the gateway adds to
// that or takes it back.

import type { SecurityScheme } from "../../model/security.ts";
import { findText } from "../../trees/document.ts";
import { findField, findObject, mayBeEnabled } from "../find-field.ts";
import type { FieldPlan } from "../plan.ts";

const places = ["header", "query", "cookie"] as const;

/** The fields `header`, `query` and `cookie` of a method, each with a name, where they are looked at. */
export function planSources({ node, settings }: SecurityScheme): readonly FieldPlan[] {
  const isKey = findText(node, "type") === "apiKey";
  const described = isKey ? findText(node, "in") : "header";
  return places.flatMap((place): readonly FieldPlan[] => {
    const own = place === described ? (isKey ? findText(node, "name") : "Authorization") : undefined;
    const block = findObject(settings, place);
    const written = findField(block, "name");
    const isOff = block !== undefined && !mayBeEnabled(block);
    const name = written?.kind === "Literal" ? String(written.value) : (own ?? (block && "Authorization"));
    if (isOff || name === undefined || name === "") return [];
    return [{ name: place, value: { kind: "Literal", value: name }, defaulted: false }];
  });
}
