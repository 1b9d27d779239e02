// Document meaning: tokens, issuers, certificates and signatures.

import { entry } from "../diagnostic.ts";

export const tokenEntries = {
  GW4210: entry<{ field: string; scheme: string }>({
    slug: "setting-of-another-scheme",
    severity: "error",
    message: (d) => `Schemes such as \`${d.scheme}\` have no \`${d.field}\`.`,
    hint: () => "Remove it, or describe the scheme as the kind that has it.",
  }),
  GW4211: entry<{ scheme: string }>({
    slug: "signing-method-missing",
    severity: "error",
    message: (d) => `\`signingMethod\` is missing: tokens of \`${d.scheme}\` would choose their own.`,
    hint: () => "Write the kind of key they are signed with: `rsa`, `ecdsa`, `eddsa` or `hmac`.",
  }),
  GW4212: entry<{ scheme: string }>({
    slug: "secret-at-an-address",
    severity: "error",
    message: (d) => `\`${d.scheme}\` is verified with a secret, and no address may publish one.`,
    hint: () => "Put the secret into `source`, or use a `signingMethod` with public keys.",
  }),
  GW4213: entry<{ scheme: string }>({
    slug: "tokens-for-anybody",
    severity: "warning",
    message: (d) => `\`${d.scheme}\` also accepts tokens that its issuer made for other services.`,
    hint: () => "Name the audience of this API in `allowedAudiences`.",
  }),
  GW4214: entry<Record<never, never>>({
    slug: "no-certificate-allowed",
    severity: "error",
    message: () => "Nobody can call: no certificate is allowed.",
    hint: () => "List fingerprints, certificates or an authority in `allowlist`.",
  }),
  GW4215: entry<{ scheme: string }>({
    slug: "issuer-not-found",
    severity: "error",
    message: (d) => `\`${d.scheme}\` does not say where its issuer describes itself.`,
    hint: () => "Write its address, such as `https://HOST/.well-known/openid-configuration`.",
  }),
  GW4216: entry<{ scheme: string }>({
    slug: "tokens-from-nowhere",
    severity: "error",
    message: (d) => `Nobody gets a token for \`${d.scheme}\`: this set has no \`oauth_clients\`.`,
    hint: () => "Add clients, or say how tokens of others are checked: `introspection` or `jwksURIs`.",
  }),
  GW4217: entry<{ api: string }>({
    slug: "endpoints-of-tokens-taken",
    severity: "error",
    message: (d) => `\`${d.api}\` listens where clients get their tokens.`,
    hint: () => "Choose a listen path outside `/oauth/`.",
  }),
  GW4218: entry<{ api: string }>({
    slug: "certificate-not-asked-for",
    severity: "error",
    message: (d) => `Nobody can show \`${d.api}\` a certificate: the listener asks for none.`,
    hint: () => "Set `listen.tls.client_certificates` of the gateway to `optional` or `required`.",
  }),
};
