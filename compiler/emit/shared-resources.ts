// Emits the shared resources of a stream, and objects with one entry per line.

import type { Origin, ResourcePlan } from "../plan/plan.ts";
import { type Code, code, fragment, hardBreak, indent, join, linkTo, propertyKey, raw } from "./code.ts";
import { dependantsLink } from "./links.ts";
import { resourcesName } from "./names.ts";
import { cite } from "./place.ts";
import { emitComponent, type ValueContext } from "./value.ts";

/**
 * `const resources = { seen: memoryCache({ default_ttl: 60000 }) };`, and resources that use others around them:
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

/** Returns layers of resources: those that use no other, those that only use the first layer, and so on. */
function layersOf(resources: readonly ResourcePlan[]): readonly (readonly ResourcePlan[])[] {
  const depths = new Map<string, number>();
  for (const { label, uses } of resources) {
    depths.set(label, Math.max(0, ...uses.map((used) => (depths.get(used) ?? 0) + 1)));
  }
  const layers = Map.groupBy(resources, ({ label }) => depths.get(label) ?? 0);
  return [...layers].sort(([a], [b]) => a - b).map(([, layer]) => layer);
}

/** Returns an object with every entry on its own line. */
export function entries(written: readonly Code[]): Code {
  const lines = written.map((entry) => join([entry, raw(",")]));
  return join([
    raw("{"),
    indent(fragment([hardBreak]), join(lines, fragment([hardBreak]))),
    fragment([hardBreak]),
    raw("}"),
  ]);
}

/** Returns `what` below a line that cites its place. */
export function citing(origin: Origin, label: string | undefined, what: Code): Code {
  return join([cite(origin.span, label), fragment([hardBreak]), what]);
}
