// Options of components that only a function of the runtime can inspect, such as queries in other languages. Each
// component is inspected once.

import type { Inspection, RuntimeLink } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import { findNamedField } from "../../trees/fields.ts";
import { readJsonSchema } from "../../value-types/json-schema/read/read-schema.ts";
import { type Type, unknown } from "../../value-types/type.ts";

/** Options in the form that a function of the runtime accepts: plain values by field name. */
export type PlainOptions = Readonly<Record<string, unknown>>;

/** Calls the function of the runtime that inspects options. */
export type InspectOptions = (link: RuntimeLink, options: PlainOptions) => Inspection;

/** Access to the inspections of components. */
export interface Inspections {
  /** Reports what is wrong with the options of a component. */
  readonly check: (component: ComponentNode, report: Report) => void;
  /** Returns the type of the documents that the component produces. */
  readonly produced: (component: ComponentNode) => Type;
}

/** Inspects each component at the first request for it; without `inspect`, nothing is known about any component. */
export function createInspections(inspect: InspectOptions | undefined): Inspections {
  const made = new Map<ComponentNode, Inspection | undefined>();
  function inspectionOf(component: ComponentNode): Inspection | undefined {
    if (!made.has(component)) made.set(component, inspected(component, inspect));
    return made.get(component);
  }
  return {
    check(component, report) {
      for (const { field, message, hint } of inspectionOf(component)?.problems ?? []) {
        const place = findNamedField(component.config, field)?.value.span ?? component.nameSpan;
        report("GW4155", place, { component: component.name, field, reason: message, hint });
      }
    },
    produced(component) {
      const schema = inspectionOf(component)?.produces;
      return schema === undefined ? unknown : readJsonSchema(schema);
    },
  };
}

function inspected(
  { descriptor, config }: ComponentNode,
  inspect: InspectOptions | undefined,
): Inspection | undefined {
  const link = descriptor?.inspect;
  if (link === undefined || inspect === undefined) return undefined;
  const options = plainValue(config);
  return isPlainOptions(options) ? inspect(link, options) : undefined;
}

function isPlainOptions(value: unknown): value is PlainOptions {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value as written, without the parts that are known only when the gateway starts. */
function plainValue(field: FieldNode): unknown {
  switch (field.kind) {
    case "Literal":
      return field.value;
    case "Duration":
      return field.milliseconds;
    case "List":
      return field.items.map(plainValue);
    case "Object":
      return Object.fromEntries(field.fields.map(({ name, value }) => [name, plainValue(value)]));
    default:
      return undefined;
  }
}
