// Document meaning: requests that streams make, and pages that may call.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

export interface ComputedHost {
  readonly field: string;
  /** The component has a field for the servers that a message may choose from. */
  readonly mayHaveHosts: boolean;
}

function hostHint({ mayHaveHosts }: ComputedHost): string {
  return mayHaveHosts
    ? "List the servers it may choose from in `allowed_hosts`."
    : "Write the server, or an environment variable as `${NAME}`.";
}

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
  GW4370: entry<ComputedHost>({
    slug: "computed-host",
    severity: "error",
    message: (d) => `A value that is not the document's own chooses the server of \`${d.field}\`.`,
    hint: hostHint,
  }),
  GW4371: entry<ComputedHost>({
    slug: "computed-host-after-variable",
    severity: "warning",
    message: (d) => `In \`${d.field}\` a value may follow the server's name without a \`/\` between.`,
    hint: (d) => `Begin the path with \`/\`. ${hostHint(d)}`,
  }),
};
