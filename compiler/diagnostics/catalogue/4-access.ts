// Document meaning: who may call.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

/** A protection that a version lacks and its base has. */
export interface WeakerVersion {
  readonly version: string;
  readonly api: string;
  readonly base: string;
  readonly field: string;
}

export const accessEntries = {
  GW4200: entry<{ scheme: string }>({
    slug: "scheme-not-enforced",
    severity: "error",
    message: (d) => `The gateway cannot enforce the scheme \`${d.scheme}\` yet.`,
    hint: () => "Ask for another scheme, or write `authentication.enabled: false` to serve without any.",
  }),
  GW4201: entry<Record<never, never>>({
    slug: "nobody-is-asked",
    severity: "error",
    message: () => "Authentication is on, but no `security` asks for a scheme.",
    hint: () => "Name a scheme of `components.securitySchemes` in `security`.",
  }),
  GW4202: entry<{ scheme: string }>({
    slug: "scheme-switched-off",
    severity: "error",
    message: (d) => `\`security\` asks for \`${d.scheme}\`, which \`securitySchemes\` switches off.`,
    hint: () => "Set its `enabled` to true, or do not ask for it.",
  }),
  GW4203: entry<{ scheme: string }>({
    slug: "scheme-without-scopes",
    severity: "error",
    message: (d) => `Nobody can meet these scopes: \`${d.scheme}\` knows none.`,
    hint: () => "Write an empty list.",
  }),
  GW4204: entry<Record<never, never>>({
    slug: "requirement-ignored",
    severity: "warning",
    message: () => "Only the first requirement counts in `legacy` mode.",
    hint: () => "Set `securityProcessingMode: compliant`, and any of them lets a request in.",
  }),
  GW4205: entry<{ scheme: string }>({
    slug: "credential-from-nowhere",
    severity: "error",
    message: (d) => `Nobody can show a credential of \`${d.scheme}\`: all its places are switched off.`,
    hint: () => "Enable `header`, `query` or `cookie`.",
  }),
  GW4206: entry<{ path: string }>({
    slug: "path-not-told-apart",
    severity: "error",
    message: (d) => `\`${d.path}\` cannot have a \`security\` of its own.`,
    hint: () => "Make the parameter a whole segment, such as `/files/{name}`.",
  }),
  GW4207: entry<{ api: string }>({
    slug: "nobody-gets-in",
    severity: "warning",
    message: (d) => `Nobody gets in: \`${d.api}\` asks for keys, and this set has none.`,
    hint: () => "Add `keys`, or a `store` that holds them.",
  }),
  GW4208: entry<Record<never, never>>({
    slug: "rights-to-nothing",
    severity: "warning",
    message: () => "A key whose `access_rights` are empty may call no API.",
    hint: () => "Name the APIs, or leave `access_rights` out if all are meant.",
  }),
  GW4209: entry<{ field: string }>({
    slug: "same-key-twice",
    severity: "error",
    message: (d) => `Another entry has this \`${d.field}\` already.`,
    hint: () => "Keep one of them.",
  }),
  GW4270: entry<{ schemes: readonly string[] }>({
    slug: "security-not-enforced",
    severity: "warning",
    message: (d) => `\`enabled: false\` leaves ${quoteAll(d.schemes)} of \`security\` unenforced.`,
    hint: () => "Remove `enabled: false` to have the gateway enforce it.",
  }),
  GW4350: entry<{ block: string; fields: readonly string[] }>({
    slug: "protection-switched-off",
    severity: "warning",
    message: (d) => `\`enabled: false\` leaves ${quoteAll(d.fields)} of \`${d.block}\` unenforced.`,
    hint: () => "Remove `enabled: false` to have the gateway enforce it.",
  }),
  GW4351: entry<{ list: string }>({
    slug: "nothing-allowed",
    severity: "error",
    message: (d) => `\`${d.list}\` is empty and allows nothing.`,
    hint: () => "List what is allowed, or remove the list.",
  }),
  GW4352: entry<{ block: string }>({
    slug: "protection-undecided",
    severity: "error",
    message: (d) => `\`${d.block}\` does not say whether it applies.`,
    hint: () => "Add `enabled: true` or `enabled: false`.",
  }),
  GW4354: entry<WeakerVersion>({
    slug: "version-weaker-than-its-base",
    severity: "error",
    message: (d) => `The version \`${d.version}\` (\`${d.api}\`) lacks the \`${d.field}\` of \`${d.base}\`.`,
    hint: (d) => `Add it to the document of \`${d.api}\`, or open it there in writing.`,
  }),
  GW4355: entry<WeakerVersion>({
    slug: "version-opened",
    severity: "warning",
    message: (d) =>
      `The version \`${d.version}\` (\`${d.api}\`) does without the \`${d.field}\` of \`${d.base}\`.`,
    hint: (d) =>
      `Requests for that version pass it; enforce it in the document of \`${d.api}\` where that is not meant.`,
  }),
};
