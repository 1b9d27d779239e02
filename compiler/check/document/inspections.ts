// Options of components that only a function of the runtime can inspect, such as queries in other languages. Each
// component is inspected once.

import type { InspectedProblem, Inspection, RuntimeLink } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { type Span, spanOf } from "../../source/source.ts";
import type { ComponentNode, FieldNode } from "../../trees/api.ts";
import { findField, plainValueOf } from "../../trees/fields.ts";
import { readJsonSchema } from "../../value-types/json-schema/read/read-schema.ts";
import { isRecord } from "../../value-types/records.ts";
import { type Type, unknown } from "../../value-types/type.ts";

/** Options in the form that a function of the runtime accepts: plain values by field name. */
export type PlainOptions = Readonly<Record<string, unknown>>;

/** Calls the function of the runtime that inspects options. */
export type InspectOptions = (link: RuntimeLink, options: PlainOptions) => Inspection;

/** Access to the inspections of components. */
export interface Inspections {
  /** Reports what is wrong with the options of a component. */
  readonly check: (component: ComponentNode, report: Report) => void;
  /** Returns the functions of the runtime that the options of a component call, by name; `undefined` if none can. */
  readonly links: (component: ComponentNode) => Inspection["links"];
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
      for (const { field, message, hint, place, unknown } of inspectionOf(component)?.problems ?? []) {
        const value = findField(component.config, ...field.split("."));
        const span = spanIn(value, place) ?? value?.span ?? component.nameSpan;
        const closest = unknown && suggest(unknown.name, unknown.among);
        const suggested = closest === undefined ? hint : `Did you mean \`${closest}\`?`;
        report("GW4155", span, { component: component.name, field, reason: message, hint: suggested });
      }
    },
    links: (component) => inspectionOf(component)?.links,
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
  const options = plainValueOf(config);
  return isRecord(options) ? inspect(link, options) : undefined;
}

/** Returns a part of the text of a field. */
function spanIn(field: FieldNode | undefined, place: InspectedProblem["place"]): Span | undefined {
  if (place === undefined || field?.kind !== "Literal" || field.text === undefined) return undefined;
  return spanOf(field.text, place.start, place.end);
}
