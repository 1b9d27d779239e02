// What the components of a stream share as emitted code, and objects with an entry on each line.

import type { Origin, ResourcePlan } from "../plan/plan.ts";
import { type Code, code, fragment, hardBreak, indent, join, linkTo, propertyKey, raw } from "./code.ts";
import { dependantsLink } from "./links.ts";
import { resourcesName } from "./names.ts";
import { cite } from "./place.ts";
import { emitComponent, type ValueContext } from "./value.ts";

/**
 * `const resources = { seen: memoryCache({ default_ttl: 60000 }) };`, and those that use others around them:
 * `const resources = withDependants({ … }, (resources) => ({ all: multilevelCache([resources.seen, …]) }));`.
 */
export function emitResources(resources: readonly ResourcePlan[], context: ValueContext): Code {
  const [first = raw("{}"), ...others] = layersOf(resources).map((layer) =>
    entries(
      layer.map(({ label, component }) =>
        citing(
          component.origin,
          undefined,
          code`${propertyKey(label)}: ${emitComponent(component, context)}`,
        ),
      ),
    ),
  );
  const link = linkTo(dependantsLink.module, dependantsLink.symbol);
  const all = others.reduce<Code>(
    (inner, layer) => code`${link}(${inner}, (${raw(resourcesName)}) => (${layer}))`,
    first,
  );
  return code`const ${raw(resourcesName)} = ${all};`;
}

/** Those that use no other, those that use these alone, and so on. */
function layersOf(resources: readonly ResourcePlan[]): readonly (readonly ResourcePlan[])[] {
  const depths = new Map<string, number>();
  for (const { label, uses } of resources) {
    depths.set(label, Math.max(0, ...uses.map((used) => (depths.get(used) ?? 0) + 1)));
  }
  const layers = Map.groupBy(resources, ({ label }) => depths.get(label) ?? 0);
  return [...layers].sort(([a], [b]) => a - b).map(([, layer]) => layer);
}

/** An object with every entry on a line of its own. */
export function entries(written: readonly Code[]): Code {
  const lines = written.map((entry) => join([entry, raw(",")]));
  return join([
    raw("{"),
    indent(fragment([hardBreak]), join(lines, fragment([hardBreak]))),
    fragment([hardBreak]),
    raw("}"),
  ]);
}

/** `what`, below a line that says where it was written. */
export function citing(origin: Origin, label: string | undefined, what: Code): Code {
  return join([cite(origin.span, label), fragment([hardBreak]), what]);
}
