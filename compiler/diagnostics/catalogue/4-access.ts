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
    slug: "rights-to-everything",
    severity: "warning",
    message: () => "A key whose `access_rights` are empty may call every API.",
    hint: () => "Name the APIs, or leave `access_rights` out if all are meant.",
  }),
  GW4209: entry<{ field: string }>({
    slug: "same-key-twice",
    severity: "error",
    message: (d) => `Another entry has this \`${d.field}\` already.`,
    hint: () => "Keep one of them.",
  }),
  GW4270: entry<{ scheme: string }>({
    slug: "nobody-enforces",
    severity: "info",
    message: (d) => `The gateway asks nobody for \`${d.scheme}\`, since authentication is not switched on.`,
    hint: () =>
      "Set `x-gw-api-gateway.server.authentication.enabled` to true, or to false where something else asks.",
  }),
};
