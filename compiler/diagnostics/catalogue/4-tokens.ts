// Document meaning: tokens, issuers, certificates and signatures.

import { entry } from "../diagnostic.ts";

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
