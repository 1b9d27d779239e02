// Names in `allow_unsafe` that let nothing through: misspelt ones, or of what is free anyway.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { SetModel } from "../../../model/set.ts";
import { allowedNames, unsafeNames } from "../allow-unsafe.ts";

/** Reports each name that nothing has which would need it. */
export function checkUnsafeNames({ process, dialect }: SetModel, report: Report): void {
  const allowed = allowedNames(process);
  if (allowed.length === 0) return;
  const names = unsafeNames(dialect);
  for (const { name, span } of allowed) {
    if (!names.has(name)) report("GW4088", span, { name, ...nearest(name, [...names]) });
  }
}
