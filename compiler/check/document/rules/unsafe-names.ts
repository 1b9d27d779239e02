// Names in `allow_unsafe` that let nothing through: misspelt ones, or of what is free anyway.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import { allowedNames, unsafeNames } from "../allow-unsafe.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports each name that nothing has which would need it. */
export function checkUnsafeNames({ set }: Pick<SetFacts, "set">, report: Report): void {
  const allowed = allowedNames(set);
  if (allowed.length === 0) return;
  const names = unsafeNames();
  for (const { name, span } of allowed) {
    if (!names.has(name)) report("GW4088", span, { name, ...nearest(name, [...names]) });
  }
}
