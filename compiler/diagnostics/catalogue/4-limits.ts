// Document meaning: limits of APIs.

import { entry } from "../diagnostic.ts";

export const limitEntries = {
  GW4220: entry<{ field: string; reason: string }>({
    slug: "limit-limits-nothing",
    severity: "warning",
    message: (d) => `\`${d.field}\` is switched on and limits nothing: ${d.reason}.`,
    hint: () => "Say how much is let through, or switch it off.",
  }),
};
