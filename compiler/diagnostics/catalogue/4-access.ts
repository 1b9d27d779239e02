// Document meaning: who may call.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../suggest.ts";

/** A protection that a version lacks and its base has. */
export interface WeakerVersion {
  readonly version: string;
  readonly api: string;
  readonly base: string;
  readonly field: string;
}

export const accessEntries = {
  GW4200: entry<{ scheme: string; written?: string | undefined; closest?: string | undefined }>({
    slug: "scheme-not-enforced",
    severity: "error",
    message: (d) =>
      d.closest === undefined
        ? `The gateway cannot enforce the scheme \`${d.scheme}\` yet.`
        : `Unknown HTTP authentication scheme \`${d.written}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Use another scheme, or set `authentication.enabled: false` to serve without authentication."
        : `Did you mean \`${d.closest}\`?`,
  }),
  GW4228: entry<{ scope: string; closest: string | undefined; known: readonly string[] }>({
    slug: "scope-not-declared",
    severity: "warning",
    message: (d) => `No flow of the scheme declares the scope \`${d.scope}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Declare it, or use one of ${quoteAll(d.known)}.`
        : `Did you mean \`${d.closest}\`?`,
  }),
  GW4201: entry<Record<never, never>>({
    slug: "no-scheme-required",
    severity: "error",
    message: () => "Authentication is enabled, but `security` requires no scheme.",
    hint: () => "Add a scheme of `components.securitySchemes` to `security`.",
  }),
  GW4202: entry<{ scheme: string }>({
    slug: "scheme-switched-off",
    severity: "error",
    message: (d) => `\`security\` requires \`${d.scheme}\`, which \`securitySchemes\` disables.`,
    hint: () => "Set its `enabled` to true, or remove it from `security`.",
  }),
  GW4203: entry<{ scheme: string }>({
    slug: "scheme-without-scopes",
    severity: "error",
    message: (d) => `\`${d.scheme}\` has no scopes, so no request can satisfy these.`,
    hint: () => "Replace the scopes with an empty array.",
  }),
  GW4204: entry<Record<never, never>>({
    slug: "requirement-ignored",
    severity: "warning",
    message: () => "In `legacy` mode only the first requirement applies.",
    hint: () => "Set `securityProcessingMode: compliant` to accept any of them.",
  }),
  GW4205: entry<{ scheme: string }>({
    slug: "credential-from-nowhere",
    severity: "error",
    message: (d) =>
      `Clients cannot send a credential for \`${d.scheme}\`: header, query and cookie are disabled.`,
    hint: () => "Enable `header`, `query` or `cookie`.",
  }),
  GW4206: entry<{ path: string }>({
    slug: "path-not-told-apart",
    severity: "error",
    message: (d) => `\`${d.path}\` cannot have a \`security\` of its own.`,
    hint: () => "Make the parameter a complete segment, such as `/files/{name}`.",
  }),
  GW4207: entry<{ api: string }>({
    slug: "every-request-rejected",
    severity: "warning",
    message: (d) => `\`${d.api}\` requires keys, but this set has none, so it rejects every request.`,
    hint: () => "Add `keys`, or a `store` that contains them.",
  }),
  GW4208: entry<Record<never, never>>({
    slug: "rights-to-nothing",
    severity: "warning",
    message: () => "A key with empty `access_rights` cannot call any API.",
    hint: () => "List the APIs, or remove `access_rights` to allow all of them.",
  }),
  GW4209: entry<{ field: string }>({
    slug: "same-key-twice",
    severity: "error",
    message: (d) => `Another entry already has this \`${d.field}\`.`,
    hint: () => "Remove one of them.",
  }),
  GW4270: entry<{ schemes: readonly string[] }>({
    slug: "security-not-enforced",
    severity: "warning",
    message: (d) => `\`enabled: false\` leaves ${quoteAll(d.schemes)} of \`security\` unenforced.`,
    hint: () => "Remove `enabled: false` so that the gateway enforces it.",
  }),
  GW4350: entry<{ block: string; fields: readonly string[] }>({
    slug: "protection-switched-off",
    severity: "warning",
    message: (d) => `\`enabled: false\` leaves ${quoteAll(d.fields)} of \`${d.block}\` unenforced.`,
    hint: () => "Remove `enabled: false` so that the gateway enforces it.",
  }),
  GW4351: entry<{ list: string }>({
    slug: "nothing-allowed",
    severity: "error",
    message: (d) => `\`${d.list}\` is empty, so nothing is allowed.`,
    hint: () => "Add entries, or remove the list.",
  }),
  GW4352: entry<{ block: string }>({
    slug: "protection-undecided",
    severity: "error",
    message: (d) => `Missing \`enabled\` in \`${d.block}\`.`,
    hint: () => "Add `enabled: true` or `enabled: false`.",
  }),
  GW4354: entry<WeakerVersion>({
    slug: "version-weaker-than-its-base",
    severity: "error",
    message: (d) =>
      `The version \`${d.version}\` (\`${d.api}\`) does not have the \`${d.field}\` of \`${d.base}\`.`,
    hint: (d) => `Add it to the document of \`${d.api}\`, or disable it there explicitly.`,
  }),
  GW4355: entry<WeakerVersion>({
    slug: "version-opened",
    severity: "warning",
    message: (d) =>
      `The version \`${d.version}\` (\`${d.api}\`) disables the \`${d.field}\` of \`${d.base}\`.`,
    hint: (d) =>
      `Requests for this version skip the protection. Enable it in the document of \`${d.api}\` if that is not intended.`,
  }),
};
