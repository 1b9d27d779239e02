// Tokens that callers sign themselves with a secret of their key's: JWT without a key of the document's. The head of the
// token names the key (`kid`).

import { decodeProtectedHeader } from "jose";
import { BoundedCache } from "../../concurrency/bounded-cache.ts";
import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys/key-hash.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { readBearer } from "./bearer.ts";
import { disallowed } from "./decide.ts";
import { authenticateToken, type JwtOptions, readAlgorithms } from "./jwt.ts";
import { type AuthenticationMethod, renewable } from "./method.ts";
import { given } from "./sources.ts";
import type { AllowedAlgorithms } from "./tokens/algorithms.ts";
import { staticKeys } from "./tokens/token-keys.ts";
import { createClaimReader } from "./tokens/token-owner.ts";
import { createTokenVerifier, type TokenVerifier } from "./tokens/token-verifier.ts";

export type JwtOfKeysOptions = Omit<JwtOptions, "source" | "jwksURIs">;

/** Verifiers remembered, and milliseconds that they are. */
const mostVerifiers = 1_000;
const longestAge = 60_000;
/** Tokens that each of them remembers. */
const mostTokens = 50;

/** Verifies the token with `jwt_data` of the key that it names; its session is that of the key. */
export function jwtOfKeys(options: JwtOfKeysOptions): AuthenticationMethod {
  const { header, query, cookie, signingMethod } = options;
  const sources = given({ header, query, cookie });
  const algorithms = readAlgorithms(signingMethod);
  return {
    identity: "jwt_claim",
    start({ keys }) {
      const findVerifier = createVerifiers(algorithms);
      const readClaims = createClaimReader(options);
      return {
        sources,
        challenge: "Bearer",
        async authenticate(call) {
          const token = readBearer(call, sources);
          if (token === undefined || token instanceof GatewayError) return token;
          return renewable(async () => {
            const hash = hashOfNamedKey(token);
            const key = hash === undefined ? undefined : await keys?.findKey(hash);
            const verifier = key && findVerifier(hash ?? "", key.record.jwt_data?.secret ?? "");
            if (key === undefined || verifier === undefined) return disallowed();
            const caller = await authenticateToken(token, verifier, readClaims);
            if (caller === undefined || caller instanceof GatewayError) return caller;
            return { ...caller, session: key.session, metadata: key.session.metadata };
          });
        },
      };
    },
  };
}

function hashOfNamedKey(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" ? hashKey(kid) : undefined;
  } catch {
    return undefined; // no token at all
  }
}

/** Verifiers by key, made anew where its secret has changed; `undefined` for secrets that are of no use. */
function createVerifiers(
  algorithms: AllowedAlgorithms,
): (hash: string, secret: string) => TokenVerifier | undefined {
  const remembered = new BoundedCache<{ secret: string; verifier: TokenVerifier }>(
    mostVerifiers,
    longestAge,
    Date.now,
  );
  return (hash, secret) => {
    const known = remembered.get(hash);
    if (known?.secret === secret) return known.verifier;
    const verifier = secret === "" ? undefined : createVerifier(algorithms, secret);
    if (verifier !== undefined) remembered.set(hash, { secret, verifier });
    return verifier;
  };
}

function createVerifier(algorithms: AllowedAlgorithms, secret: string): TokenVerifier | undefined {
  try {
    return createTokenVerifier(algorithms, staticKeys(secret, algorithms.family), mostTokens);
  } catch (error) {
    if (error instanceof EnvironmentError) return undefined;
    throw error;
  }
}
