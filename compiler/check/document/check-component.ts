// Checks one component: its shape, its sibling keys, and the rules that concern only this component.

import { besideSchema, type ComponentCatalogue } from "../../../schemas/catalogue.ts";
import type { ComponentRole, OptionRule } from "../../../schemas/component.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import { hasUnread } from "../../model/components.ts";
import { writtenOptions } from "../../model/written-options.ts";
import type { ComponentNode } from "../../trees/api.ts";
import type { MapEntry } from "../../trees/document.ts";
import { findNamedField } from "../../trees/fields.ts";
import type { Inspections } from "./inspections.ts";
import { componentRules, namedRules, valueRules } from "./rules.ts";
import { checkShape, placeIn } from "./shape.ts";
import { type SchemedValue, valuesWithin } from "./values.ts";

/** Roles whose components often have the same name. */
const counterparts: ReadonlyMap<ComponentRole, ComponentRole> = new Map([
  ["input", "output"],
  ["output", "input"],
]);

/** Checks a component, but not the components inside it. */
export function checkComponent(
  component: ComponentNode,
  components: ComponentCatalogue,
  inspections: Inspections,
  report: Report,
): void {
  const { role, node, nameSpan, config, descriptor } = component;
  const entry = node.entries.find(({ keySpan }) => keySpan === nameSpan);
  if (entry === undefined || descriptor === undefined) return;
  const { schema, rules = [] } = descriptor;
  const besides = Object.keys(besideSchema(role).properties ?? {});
  const other = counterparts.get(role);
  const descriptorOfOther = other && components.find(other, entry.key);
  const counterpart = other && descriptorOfOther && { role: other, schema: descriptorOfOther.schema };
  checkShape({ node: entry.value, name: entry.key, nameSpan, schema }, config, report, {
    besides,
    counterpart,
  });
  checkBeside(component, entry, components, report);
  checkValues({ name: entry.key, nameSpan, value: config, schema }, report);
  for (const rule of componentRules) rule(component, report);
  for (const rule of rules)
    if (typeof rule === "string") namedRules[rule](component, report);
    else checkOptions(component, rule, report);
  inspections.check(component, report);
}

/** Reports what the package of a component says about the options that are written for it. */
function checkOptions({ config, nameSpan, name }: ComponentNode, rule: OptionRule, report: Report): void {
  // A field under an unknown name may be the one that a rule looks for.
  if (hasUnread(config)) return;
  for (const { field, message, hint, severity } of rule(writtenOptions(config))) {
    const found = field === undefined ? undefined : findNamedField(config, field);
    const details = { component: name, message, hint };
    report(severity === "warning" ? "GW4413" : "GW4412", found?.nameSpan ?? nameSpan, details);
  }
}

/** Names that other formats use for a label. */
const otherNamesOfLabel: ReadonlySet<string> = new Set(["id", "name"]);

const label = { closest: "label", respelling: "unsure" } as const;

/** Checks the sibling keys of a component: only a label and a schema are allowed. */
function checkBeside(
  { role, descriptor, node, nameSpan }: ComponentNode,
  own: MapEntry,
  components: ComponentCatalogue,
  report: Report,
): void {
  if (node.entries.length === 1) return; // Only its own key, as most components.
  const schema = besideSchema(role);
  const place = { node, name: role, nameSpan, schema };
  checkShape(place, undefined, report);
  const known = Object.keys(schema.properties ?? {});
  const astray = node.entries.filter(({ key }) => key !== own.key && !known.includes(key));
  if (astray.length === 0) return;
  // A second, misspelt component is reported instead: its name has to be corrected first.
  const meant = [...known, ...components.names(role)];
  const taken = new Set([...node.entries.map((entry) => entry.key), ...components.names(role)]);
  for (const { key, keySpan } of astray) {
    if (schema["x-unsupported"]?.includes(key)) report("GW4016", keySpan, { owner: role, field: key });
    else {
      const belongs = Object.hasOwn(descriptor?.schema.properties ?? {}, key);
      const advice = belongs ? `Indent it below \`${own.key}\`.` : undefined;
      const near = otherNamesOfLabel.has(key) && !taken.has("label") ? label : nearest(key, meant, taken);
      const place = belongs ? placeIn(own) : undefined;
      report("GW4010", keySpan, { owner: role, field: key, advice, place, known, ...near });
    }
  }
}

/** Checks a value that was read with its schema. Components inside are not checked. */
export function checkValues(whole: SchemedValue, report: Report): void {
  for (const value of valuesWithin(whole)) {
    for (const rule of valueRules) rule(value, report);
  }
}
