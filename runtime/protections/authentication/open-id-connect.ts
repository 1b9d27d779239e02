// Tokens of an issuer that describes itself: `type: openIdConnect`.

import { disallowed } from "./decide.ts";
import { readAlgorithms, signedBearer } from "./jwt.ts";
import type { AuthenticationMethod } from "./method.ts";
import { type CredentialSources, given } from "./sources.ts";
import { discoveredKeys } from "./tokens/discovered-keys.ts";
import { type ClaimOptions, createOwnerReader } from "./tokens/token-owner.ts";
import { createTokenVerifier } from "./tokens/token-verifier.ts";

export interface OpenIdConnectOptions extends CredentialSources, ClaimOptions {
  /** Where the issuer describes itself. */
  readonly url: string;
  /** A family or one algorithm with published keys; `rsa` by default. */
  readonly signingMethod?: string;
}

/** Verifies the token with the keys that its issuer publishes; it has to name that issuer. */
export function openIdConnect(options: OpenIdConnectOptions): AuthenticationMethod {
  const { header, query, cookie, url, signingMethod = "rsa" } = options;
  const sources = given({ header, query, cookie });
  const algorithms = readAlgorithms(signingMethod);
  return {
    identity: "oidc_user",
    start(context) {
      const keys = discoveredKeys(url, context);
      const verifier = createTokenVerifier(algorithms, keys);
      const readOwner = createOwnerReader(options, context.keys);
      return signedBearer(sources, verifier, (text, claims) =>
        claims.iss === keys.issuer() ? readOwner(text, claims) : disallowed(),
      );
    },
  };
}
