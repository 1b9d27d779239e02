// Document meaning: requests that streams send, and cross-origin requests.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

export interface ComputedHost {
  readonly field: string;
  /** The component has a field for the servers that a message may choose from. */
  readonly mayHaveHosts: boolean;
}

function hostHint({ mayHaveHosts }: ComputedHost): string {
  return mayHaveHosts
    ? "List the permitted servers in `allowed_hosts`."
    : "Write a literal server, or an environment variable as `${NAME}`.";
}

export const requestEntries = {
  GW4190: entry<{ owner: string; field: string; reason: string }>({
    slug: "refused-field",
    severity: "error",
    message: (d) => `\`${d.owner}\` does not support \`${d.field}\`, because ${d.reason}.`,
    hint: (d) => `Remove \`${d.field}\`. \`listen\` of the gateway sets the address.`,
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
      "Browsers reject credentials if any origin is allowed, so `allowCredentials` has no effect.",
    hint: () => "List the origins in `allowedOrigins`.",
  }),
  GW4370: entry<ComputedHost>({
    slug: "computed-host",
    severity: "error",
    message: (d) => `A message or a request chooses the server of \`${d.field}\`.`,
    hint: hostHint,
  }),
  GW4371: entry<ComputedHost>({
    slug: "computed-host-after-variable",
    severity: "warning",
    message: (d) => `In \`${d.field}\` a computed value may extend the server's name.`,
    hint: (d) => `Put a \`/\` between the server and the value. ${hostHint(d)}`,
  }),
};
