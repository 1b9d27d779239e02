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
  GW4277: entry<Record<never, never>>({
    slug: "webhooks-without-their-portal",
    severity: "error",
    message: () => "There is no portal that takes these messages.",
    hint: () => "Name one with `portal_url`, or write `portal: { enabled: true }` in `gateway.yaml`.",
  }),
  GW4278: entry<Record<never, never>>({
    slug: "address-of-another-portal",
    severity: "info",
    message: () => "`portal_url` has no effect beside a portal of this gateway.",
    hint: () => "Remove it, or remove the portal; subscribers are those of the gateway's own.",
  }),
  GW4279: entry<{ header: string }>({
    slug: "header-of-the-portal",
    severity: "warning",
    message: (d) => `Subscribers do not get \`${d.header}\`: the portal sets it.`,
    hint: () => "Choose another name for the header.",
  }),
};
