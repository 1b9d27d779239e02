// Document meaning: the portal and its store.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";

export const portalEntries = {
  GW4260: entry<{ api: string }>({
    slug: "path-of-the-portal-taken",
    severity: "error",
    message: (d) => `The listen path of \`${d.api}\` is reserved for the portal.`,
    hint: () => "Choose a listen path outside `/api/portal/`.",
  }),
  GW4261: entry<{ missing: string }>({
    slug: "accounts-without-their-parts",
    severity: "error",
    message: (d) => `\`accounts\` of the portal needs \`${d.missing}\`.`,
    hint: (d) =>
      d.missing === "smtp"
        ? "Add `smtp: { from: portal@example.com }` to `portal`; its links are sent by e-mail."
        : "Set `page: true` in `portal`; its links lead to the page.",
  }),
  GW4262: entry<Record<never, never>>({
    slug: "sign-on-without-a-page",
    severity: "error",
    message: () => "`single_sign_on` has no page at which people could sign in.",
    hint: () => "Add `page: true` to `portal`, or remove `single_sign_on`.",
  }),
  GW4263: entry<{ value: string }>({
    slug: "role-that-no-group-reaches",
    severity: "warning",
    message: (d) =>
      `This role is never assigned, because an earlier entry for \`${d.value}\` takes precedence.`,
    hint: () => "Put the entries of single groups first, and the one for `*` last.",
  }),
  GW4276: entry<Record<never, never>>({
    slug: "webhooks-without-a-portal",
    severity: "warning",
    message: () => "`webhooks` has no effect without a portal.",
    hint: () => "Add `portal: { enabled: true }`, or move `webhooks` to the gateway that runs the portal.",
  }),
  GW4277: entry<Record<never, never>>({
    slug: "webhooks-without-their-portal",
    severity: "error",
    message: () => "No portal is configured to receive these messages.",
    hint: () => "Set `portal_url`, or add `portal: { enabled: true }` to `gateway.yaml`.",
  }),
  GW4278: entry<Record<never, never>>({
    slug: "address-of-another-portal",
    severity: "info",
    message: () => "`portal_url` has no effect, because this gateway runs its own portal.",
    hint: () => "Remove `portal_url`, or the portal. Messages go to subscribers of the gateway's own portal.",
    fix: (_, span) => removeEntry(span, "portal_url"),
  }),
  GW4279: entry<{ header: string }>({
    slug: "header-of-the-portal",
    severity: "warning",
    message: (d) => `Subscribers do not receive \`${d.header}\`, because the portal sets this header.`,
    hint: () => "Choose another name for the header.",
  }),
};
