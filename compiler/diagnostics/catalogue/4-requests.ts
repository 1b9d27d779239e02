// Document meaning: requests that streams make, and pages that may call.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

export const requestEntries = {
  GW4190: entry<{ owner: string; field: string; reason: string }>({
    slug: "refused-field",
    severity: "error",
    message: (d) => `\`${d.owner}\` takes no \`${d.field}\`, as ${d.reason}.`,
    hint: (d) => `Remove \`${d.field}\`; \`listen\` of the gateway says where it is reached.`,
  }),
  GW4191: entry<{ first: string; second: string }>({
    slug: "several-credentials",
    severity: "warning",
    message: (d) => `${quoteAll([d.first, d.second])} both set the \`Authorization\` header.`,
    hint: () => "Keep one of them.",
  }),
  GW4192: entry<Record<never, never>>({
    slug: "credentials-for-any-origin",
    severity: "warning",
    message: () =>
      "Browsers send no credentials where any origin is allowed, so they are not allowed either.",
    hint: () => "Name the origins in `allowedOrigins`.",
  }),
};
