// How emitted code calls what the components of a stream share: one object with an entry for each label.

import { type Code, code, isPropertyName, raw } from "./code.ts";

/** The constant that holds them; nothing else of emitted code may have its name. */
export const resourcesName = "resources";

/** `resources.seen`, `resources["big limit"]` */
export function resourceReference(label: string): Code {
  return isPropertyName(label) ? raw(`${resourcesName}.${label}`) : code`${raw(resourcesName)}[${label}]`;
}
