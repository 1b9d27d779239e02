// What the components of a stream share, as one constant.

import type { ResourcePlan } from "../plan/plan.ts";
import { type Code, code, propertyKey, raw } from "./code.ts";
import { citing, entries } from "./entries.ts";
import { resourcesName } from "./resources.ts";
import { emitComponent, type ValueContext } from "./value.ts";

/** `const resources = { seen: memoryCache({ default_ttl: 60000 }) };` */
export function emitResources(resources: readonly ResourcePlan[], context: ValueContext): Code {
  const made = resources.map(({ label, component }) =>
    citing(component.origin, undefined, code`${propertyKey(label)}: ${emitComponent(component, context)}`),
  );
  return code`const ${raw(resourcesName)} = ${entries(made)};`;
}
