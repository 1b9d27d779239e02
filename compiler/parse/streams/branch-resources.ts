// Adds the declared branches that a `workflow` names to its own branches, so that no other code has to know where a
// branch was written.

import type { ComponentRole } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, FieldNode, ObjectField } from "../../trees/api.ts";

/**
 * Returns the component that a stream declares under a label; `undefined` after a report if there is none. `depth`: the
 * number of components around the place that names it.
 */
export type FindResource = (
  role: ComponentRole,
  label: string,
  span: Span,
  depth: number,
) => ComponentNode | undefined;

type NamedField = ObjectField["fields"][number];

/** Reports unknown names, names of other components, and branches that the workflow already has. */
export function withDeclaredBranches(
  workflow: ObjectField,
  findResource: (label: string, span: Span) => ComponentNode | undefined,
  report: Report,
): ObjectField {
  const named = workflow.fields.find(({ name }) => name === "branch_resources");
  if (named?.value.kind !== "List") return workflow;
  const written = workflow.fields.find(({ name }) => name === "branches");
  const branches: NamedField[] = written?.value.kind === "Object" ? [...written.value.fields] : [];
  for (const item of named.value.items) {
    const branch = declaredBranch(item, findResource, report);
    const other = branches.find(({ name }) => name === branch?.name);
    if (branch === undefined) continue;
    if (other === undefined) branches.push(branch);
    else {
      const related = { span: other.nameSpan, message: "The other one is here." };
      report("GW4196", item.span, { name: branch.name }, related);
    }
  }
  const value: ObjectField = { kind: "Object", fields: branches, span: (written ?? named).value.span };
  const nameSpan = (written ?? named).nameSpan;
  const others = workflow.fields.filter((field) => field !== named && field !== written);
  return { ...workflow, fields: [...others, { name: "branches", nameSpan, value }] };
}

function declaredBranch(
  item: FieldNode,
  findResource: (label: string, span: Span) => ComponentNode | undefined,
  report: Report,
): NamedField | undefined {
  if (item.kind !== "Literal" || typeof item.value !== "string") return undefined;
  const component = findResource(item.value, item.span);
  if (component === undefined) return undefined;
  if (component.name === "branch") return { name: item.value, nameSpan: item.span, value: component.config };
  report("GW4195", item.span, { label: item.value, found: component.name });
  return undefined;
}
