// What the components of a stream share as emitted code, and objects with an entry on each line.

import type { Origin, ResourcePlan } from "../plan/plan.ts";
import { type Code, code, fragment, hardBreak, indent, join, propertyKey, raw } from "./code.ts";
import { cite } from "./place.ts";
import { resourcesName } from "./resources.ts";
import { emitComponent, type ValueContext } from "./value.ts";

/** `const resources = { seen: memoryCache({ default_ttl: 60000 }) };` */
export function emitResources(resources: readonly ResourcePlan[], context: ValueContext): Code {
  const made = resources.map(({ label, component }) =>
    citing(component.origin, undefined, code`${propertyKey(label)}: ${emitComponent(component, context)}`),
  );
  return code`const ${raw(resourcesName)} = ${entries(made)};`;
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
