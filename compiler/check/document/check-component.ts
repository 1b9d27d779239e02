// One component: its shape, what stands beside it, and the rules that look at one component only.

import { besideSchema, componentNames, findComponent, findSchema } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { ComponentNode } from "../../trees/api.ts";
import type { MapEntry } from "../../trees/document.ts";
import { checkValues } from "./check-values.ts";
import { componentRules, namedRules } from "./rules.ts";
import { checkShape } from "./shape.ts";

/** Checks a component, but not those inside it. */
export function checkComponent(component: ComponentNode, report: Report): void {
  const { role, node, nameSpan, config } = component;
  const entry = node.entries.find(({ keySpan }) => keySpan === nameSpan);
  const descriptor = findComponent(role, component.name);
  if (entry === undefined || descriptor === undefined) return;
  const { schema, rules = [] } = descriptor;
  const besides = Object.keys(besideSchema(role).properties ?? {});
  checkShape({ node: entry.value, name: entry.key, nameSpan, schema }, config, report, besides);
  checkBeside(component, entry, report);
  checkValues({ name: entry.key, nameSpan, value: config, schema }, report);
  for (const rule of [...componentRules, ...rules.map((name) => namedRules[name])]) rule(component, report);
}

/** What stands beside the component: a label, a schema, and nothing else. */
function checkBeside(
  { role, name: component, node, nameSpan }: ComponentNode,
  own: MapEntry,
  report: Report,
): void {
  const schema = besideSchema(role);
  const place = { node, name: role, nameSpan, schema };
  checkShape(place, undefined, report);
  const known = Object.keys(schema.properties ?? {});
  // A second, misspelt component is a mistake of its own; its name is what to correct first.
  const meant = [...known, ...componentNames(role)];
  const taken = new Set([...node.entries.map((entry) => entry.key), ...componentNames(role)]);
  for (const { key, keySpan } of node.entries) {
    if (key === own.key || known.includes(key)) continue;
    if (schema["x-unsupported"]?.includes(key)) report("GW4016", keySpan, { owner: role, field: key });
    else {
      const belongs = Object.hasOwn(findSchema(role, component)?.properties ?? {}, key);
      const advice = belongs ? `Indent it below \`${own.key}\`.` : undefined;
      report("GW4010", keySpan, { owner: role, field: key, advice, ...nearest(key, meant, taken) });
    }
  }
}
