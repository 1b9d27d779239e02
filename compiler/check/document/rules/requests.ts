// Requests that a component makes: the one header that several blocks would set.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import type { NamedField } from "../../../trees/fields.ts";
import { findField } from "../../../trees/fields.ts";

const blocks = ["oauth", "oauth2", "basic_auth", "jwt"];

/** Reports the second thing in a component that sets `Authorization`. */
export function checkRequests({ config }: ComponentNode, report: Report): void {
  if (config.kind !== "Object") return;
  const headers = fieldsOf(findField(config, "headers"));
  const setting = [
    ...config.fields.filter((field) => blocks.includes(field.name) && isSwitchedOn(field.value)),
    ...headers.filter((header) => header.name.toLowerCase() === "authorization"),
  ].sort((a, b) => a.nameSpan.start - b.nameSpan.start);
  const [first, second] = setting;
  if (first === undefined || second === undefined) return;
  const related = { span: first.nameSpan, message: `\`${first.name}\` is here.` };
  report("GW4191", second.nameSpan, { first: first.name, second: second.name }, related);
}

function fieldsOf(field: FieldNode | undefined): readonly NamedField[] {
  return field?.kind === "Object" ? field.fields : [];
}

/** One that is decided when the gateway starts counts as off: which of them is on is known then. */
function isSwitchedOn(block: FieldNode): boolean {
  const enabled = findField(block, "enabled");
  return enabled?.kind === "Literal" && enabled.value === true;
}
