// Users and passwords that nobody is shown.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";

/** Reports the user and password of an AMQP 1.0 component whose mechanism sends neither. */
export function checkUnusedLogins({ config }: ComponentNode, report: Report): void {
  const sasl = findField(config, "sasl");
  if (sasl === undefined) return;
  const written = findField(sasl, "mechanism");
  const mechanism = written === undefined ? "none" : literalText(written);
  if (mechanism !== "none" && mechanism !== "anonymous") return;
  for (const field of ["user", "password"]) {
    const value = findNamedField(sasl, field);
    if (value !== undefined && literalText(value.value) !== "")
      report("GW4174", value.nameSpan, { field, mechanism });
  }
}
