// Calls functions of the runtime that inspect options of components.

import type { Inspection, RuntimeLink } from "../../schemas/component.ts";
import type { PlainOptions } from "../check/document/inspections.ts";
import { invariant } from "../diagnostics/invariant.ts";
import { loadModule } from "./runtime-modules.ts";

/** What the function behind `link` finds in options. */
export function inspectOptions({ module, symbol }: RuntimeLink, options: PlainOptions): Inspection {
  const inspect = loadModule(module)[symbol];
  invariant(typeof inspect === "function", `${module} exports the function \`${symbol}\``);
  // Descriptors name functions of this type only.
  return inspect(options) as Inspection;
}
