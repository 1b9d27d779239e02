// Document meaning: limits of APIs.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

export const limitEntries = {
  GW4353: entry<{ field: string; missing: readonly string[] }>({
    slug: "limit-without-its-number",
    severity: "error",
    message: (d) => `\`${d.field}\` is enabled but has no ${quoteAll(d.missing)}.`,
    hint: () => "Add it, or set `enabled: false`.",
  }),
  GW4220: entry<{ field: string; reason: string }>({
    slug: "limit-limits-nothing",
    severity: "warning",
    message: (d) => `\`${d.field}\` is enabled but has no effect: ${d.reason}.`,
    hint: () => "Set a limit, or disable it.",
  }),
};
