// Document meaning: who may call.

import { entry } from "../diagnostic.ts";

export const accessEntries = {
  GW4200: entry<{ scheme: string }>({
    slug: "scheme-not-enforced",
    severity: "error",
    message: (d) => `The gateway cannot enforce the scheme \`${d.scheme}\` yet.`,
    hint: () => "Ask for another scheme, or remove `authentication.enabled` to serve without any.",
  }),
  GW4201: entry<Record<never, never>>({
    slug: "nobody-is-asked",
    severity: "error",
    message: () => "Authentication is on, but no `security` asks for a scheme.",
    hint: () => "Name a scheme of `components.securitySchemes` in `security`.",
  }),
};
