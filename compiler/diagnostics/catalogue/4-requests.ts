// Document meaning: requests that streams send, and cross-origin requests.

import { entry } from "../diagnostic.ts";
import { replaceText } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

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
    hint: (d) => `Remove \`${d.field}\`.`,
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

export const validationEntries = {
  GW4230: entry<{ id: string; closest: string | undefined }>({
    slug: "unknown-operation",
    severity: "error",
    message: (d) => `Unknown operation \`${d.id}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Use the `operationId` of an operation in `paths`."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => (d.closest === undefined ? undefined : replaceText(span, d.closest, false)),
  }),
  GW4233: entry<{ id: string }>({
    slug: "operation-id-twice",
    severity: "error",
    adjustable: true,
    message: (d) => `Duplicate \`operationId\` \`${d.id}\`.`,
    hint: () => "Change the `operationId` of one of the operations.",
  }),
  GW4231: entry<{ reason: string }>({
    slug: "pattern-not-linear",
    severity: "error",
    message: (d) => `Requests cannot be validated against this pattern: ${d.reason}.`,
    hint: () => "Remove lookarounds and back-references, or disable `validateRequest`.",
  }),
  GW4232: entry<{ segment: string }>({
    slug: "parameter-within-segment",
    severity: "error",
    message: (d) =>
      `Requests to \`${d.segment}\` cannot be validated: a parameter must be a complete segment.`,
    hint: () => "Make the complete segment a parameter, or disable `validateRequest` for the operation.",
  }),
};
