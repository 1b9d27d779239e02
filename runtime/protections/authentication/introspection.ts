// Tokens that only their issuer can tell about (RFC 7662): `type: oauth2` and `openIdConnect` with `introspection`.

import { GatewayError } from "../../errors.ts";
import { readBearer } from "./bearer.ts";
import { disallowed } from "./decide.ts";
import type { AuthenticationMethod, Identity } from "./method.ts";
import { type CredentialSources, given } from "./sources.ts";
import { createTokenAsker, type IntrospectionBlock } from "./tokens/asked-tokens.ts";
import { type ClaimOptions, createOwnerReader } from "./tokens/token-owner.ts";

export interface IntrospectionOptions extends CredentialSources, ClaimOptions {
  readonly identity: Identity;
  readonly introspection: IntrospectionBlock;
}

/** Characters of the longest token that is asked about: those of a header that is accepted at all. */
const longestToken = 8_192;
const tokenPattern = /^[\x21-\x7e]+$/;
/** Asks the issuer about each token, and remembers the answer for a moment; while it cannot be asked nobody gets in. */
export function introspection(options: IntrospectionOptions): AuthenticationMethod {
  const { header, query, cookie, identity } = options;
  const sources = given({ header, query, cookie });
  return {
    identity,
    start({ keys, log, signal }) {
      const ask = createTokenAsker(options.introspection, { log, signal });
      const readOwner = createOwnerReader(options, keys);
      return {
        sources,
        challenge: "Bearer",
        async authenticate(call) {
          const token = readBearer(call, sources);
          if (token === undefined || token instanceof GatewayError) return token;
          if (token.length > longestToken || !tokenPattern.test(token)) return disallowed();
          const claims = await ask(token).catch((error: unknown) => knownFailure(error));
          if (claims instanceof GatewayError) return claims;
          return claims === undefined ? disallowed() : readOwner(token, claims);
        },
      };
    },
  };
}

function knownFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}
