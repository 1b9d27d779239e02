// Document meaning: who may call, and the tokens, issuers, certificates and signatures that say who does.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { respellPart } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

/** Credentials of `gateway.yaml`, by what they are used as. */
const credentials = {
  plain: "keys that are sent, or certificates",
  basic: "users with passwords",
  jwt: "tokens that are verified by this secret or key",
  hmac: "signatures with this secret",
  oauth: "tokens of this client",
} as const;

export const tokenEntries = {
  GW4210: entry<{ field: string; scheme: string }>({
    slug: "setting-of-another-scheme",
    severity: "error",
    message: (d) => `\`${d.field}\` does not apply to schemes such as \`${d.scheme}\`.`,
    hint: () => "Remove it, or change the type of the scheme.",
    fix: (d, span) => removeEntry(span, d.field),
  }),
  GW4211: entry<{ scheme: string }>({
    slug: "signing-method-missing",
    severity: "error",
    message: (d) => `Missing \`signingMethod\` of \`${d.scheme}\`: a token would choose its own algorithm.`,
    hint: () => "Add the type of the signing key: `rsa`, `ecdsa`, `eddsa` or `hmac`.",
  }),
  GW4212: entry<{ scheme: string }>({
    slug: "secret-at-an-address",
    severity: "error",
    message: (d) => `\`${d.scheme}\` uses a shared secret, which a JWKS address must not publish.`,
    hint: () => "Move the secret to `source`, or use a `signingMethod` with public keys.",
  }),
  GW4213: entry<{ scheme: string }>({
    slug: "tokens-for-anybody",
    severity: "warning",
    message: (d) => `\`${d.scheme}\` also accepts tokens that its issuer created for other services.`,
    hint: () => "Add the audience of this API to `allowedAudiences`.",
  }),
  GW4214: entry<Record<never, never>>({
    slug: "no-certificate-allowed",
    severity: "error",
    message: () => "No client can connect, because no certificate is allowed.",
    hint: () => "Add fingerprints, certificates or a certificate authority to `allowlist`.",
  }),
  GW4215: entry<{ scheme: string }>({
    slug: "issuer-not-found",
    severity: "error",
    message: (d) => `\`${d.scheme}\` has no address of the issuer's metadata.`,
    hint: () => "Add it, such as `https://HOST/.well-known/openid-configuration`.",
  }),
  GW4216: entry<{ scheme: string; hasStore: boolean }>({
    slug: "tokens-from-nowhere",
    severity: "error",
    message: (d) =>
      `Clients cannot get a token for \`${d.scheme}\`, because this set has no ${d.hasStore ? "`oauth` block" : "`oauth_clients`"}.`,
    hint: (d) =>
      d.hasStore
        ? "Write `oauth: {}`, which gives tokens to the clients of the store, or set `introspection` or `jwksURIs`."
        : "Add clients, or set `introspection` or `jwksURIs` to accept tokens of another issuer.",
  }),
  GW4217: entry<{ api: string }>({
    slug: "endpoints-of-tokens-taken",
    severity: "error",
    message: (d) => `The listen path of \`${d.api}\` is reserved for the token endpoint.`,
    hint: () => "Choose a listen path outside `/oauth/`.",
  }),
  GW4218: entry<{ api: string }>({
    slug: "certificate-not-asked-for",
    severity: "error",
    message: (d) => `\`${d.api}\` requires client certificates, which the listener does not request.`,
    hint: () => "Set `listen.tls.client_certificates` in `gateway.yaml` to `optional` or `required`.",
  }),
  GW4227: entry<{ use: "plain" | "basic" | "jwt" | "hmac" | "oauth"; apis: string }>({
    slug: "credential-that-opens-nothing",
    severity: "warning",
    message: (d) => `${d.apis} ${d.apis.includes(",") ? "do" : "does"} not accept ${credentials[d.use]}.`,
    hint: () => "Add what the security schemes of the API ask for, or a scheme that accepts this credential.",
  }),
};

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
    fix: (d, span) => respellPart(span, d.written ?? "", d.closest),
  }),
  GW4228: entry<{ scope: string; closest: string | undefined; known: readonly string[] }>({
    slug: "scope-not-declared",
    severity: "warning",
    message: (d) => `No flow of the scheme declares the scope \`${d.scope}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Declare it, or use one of ${quoteAll(d.known)}.`
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.scope, d.closest),
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
    fix: (_, span) => removeEntry(span, "enabled"),
  }),
  GW4350: entry<{ block: string; fields: readonly string[] }>({
    slug: "protection-switched-off",
    severity: "warning",
    message: (d) => `\`enabled: false\` leaves ${quoteAll(d.fields)} of \`${d.block}\` unenforced.`,
    hint: () => "Remove `enabled: false` so that the gateway enforces it.",
    fix: (_, span) => removeEntry(span, "enabled"),
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
