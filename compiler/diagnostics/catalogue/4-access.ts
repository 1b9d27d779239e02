// Document meaning: who may call, and the tokens, issuers, certificates and signatures that identify callers; the
// portal and its store; which data of the machine the documents of an organisation may read.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { respellPart } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

export const tenantEntries = {
  GW4330: entry<{ name: string }>({
    slug: "gateway-variable-read",
    severity: "error",
    message: (d) => `Documents cannot read \`${d.name}\`: variables named \`GW_*\` configure the gateway.`,
    hint: () => "Use a variable with another name.",
  }),
  GW4331: entry<{ name: string; organisation: string }>({
    slug: "variable-not-allowed",
    severity: "error",
    message: (d) => `Organisation \`${d.organisation}\` may not read the environment variable \`${d.name}\`.`,
    hint: (d) =>
      `Ask an administrator to add \`${d.name}\` to \`organisations.${d.organisation}.variables\` in \`management.yaml\`.`,
  }),
  GW4332: entry<{ path: string; organisation: string }>({
    slug: "file-not-allowed",
    severity: "error",
    message: (d) => `Organisation \`${d.organisation}\` may not use the file \`${d.path}\`.`,
    hint: (d) =>
      `Use an absolute path that \`organisations.${d.organisation}.files\` in \`management.yaml\` allows.`,
  }),
  GW4333: entry<{ name: string; organisation: string }>({
    slug: "computed-name-read",
    severity: "error",
    message: (d) => `The argument of \`${d.name}()\` must be a literal, so that it can be checked.`,
    hint: (d) => `Write a string literal that the settings of organisation \`${d.organisation}\` allow.`,
  }),
  GW4334: entry<{ field: string; organisation: string; prefixes: readonly string[] }>({
    slug: "shared-name-of-others",
    severity: "error",
    message: (d) =>
      `\`${d.field}\` must start with a prefix that organisation \`${d.organisation}\` may use on brokers.`,
    hint: (d) =>
      d.prefixes.length === 0
        ? `Ask an administrator to add a prefix to \`organisations.${d.organisation}.consumer_groups\` in \`management.yaml\`.`
        : `Start it with ${d.prefixes.map((each) => `\`${each}\``).join(" or ")}.`,
  }),
  GW4335: entry<{ host: string; organisation: string }>({
    slug: "host-assigned-twice",
    severity: "error",
    message: (d) => `The host name \`${d.host}\` is assigned to \`${d.organisation}\` already.`,
    hint: () => "Assign each host name to one organisation.",
  }),
  GW4336: entry<{ field: string; organisation: string }>({
    slug: "shared-name-missing",
    severity: "error",
    message: (d) => `Missing field \`${d.field}\`: its keys could be those of other organisations.`,
    hint: (d) =>
      `Add \`${d.field}\`. If \`organisations.${d.organisation}.consumer_groups\` of \`management.yaml\` lists prefixes, begin it with one of them.`,
  }),
  GW4337: entry<{ field: string; organisation: string }>({
    slug: "shared-name-taken",
    severity: "error",
    message: (d) =>
      `\`${d.field}\` begins, or could begin, with a prefix that is not for organisation \`${d.organisation}\`.`,
    hint: () => "Begin the text otherwise, and write its beginning out.",
  }),
};

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
        ? "Add `smtp: { url: smtp://host:587, from: portal@example.com }` to `portal`; its links are sent by e-mail."
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

/** Credentials of `gateway.yaml`, by their use. */
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
    hint: () =>
      "Add the credential that the security schemes of the API require, or a scheme that accepts this credential.",
  }),
};

/** A protection that a version lacks although its base has it. */
export interface WeakerVersion {
  readonly version: string;
  readonly api: string;
  readonly base: string;
  readonly field: string;
}

export const accessEntries = {
  GW4281: entry<{ header: string; scheme: string }>({
    slug: "cors-without-the-credential",
    severity: "warning",
    message: (d) => `Pages of other origins cannot send \`${d.header}\`, which \`${d.scheme}\` requires.`,
    hint: (d) => `Add \`${d.header}\` to \`allowedHeaders\`.`,
  }),
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
    message: (d) => `No flow of a security scheme declares the scope \`${d.scope}\`.`,
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
