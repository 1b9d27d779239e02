// Document meaning: the portal and its store.

import { entry } from "../diagnostic.ts";

export const portalEntries = {
  GW4260: entry<{ api: string }>({
    slug: "path-of-the-portal-taken",
    severity: "error",
    message: (d) => `\`${d.api}\` listens where the portal is served.`,
    hint: () => "Choose a listen path outside `/api/portal/`.",
  }),
  GW4276: entry<Record<never, never>>({
    slug: "webhooks-without-a-portal",
    severity: "warning",
    message: () => "`webhooks` has no effect without a portal.",
    hint: () => "Write `portal: { enabled: true }`, or set this where the portal runs.",
  }),
};
