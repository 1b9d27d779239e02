// Tokens that callers sign themselves: JWT without a key in the document. The head of a token names the key (`kid`),
// whose record contains the secret, the public key, or the address at which its owner publishes the public keys.

import { decodeProtectedHeader } from "jose";
import type { Eventually } from "../../component/resource.ts";
import { BoundedCache } from "../../concurrency/bounded-cache.ts";
import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys/key-hash.ts";
import type { FoundKey } from "../../keys/keys.ts";
import { isKeySetAddress, type KeyRecord } from "../../keys/records.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { readOutsideJson } from "../../requests/outside-json.ts";
import { disallowed } from "./decide.ts";
import { authenticateToken, type JwtOptions, readAlgorithms, withPeriod } from "./jwt.ts";
import { type Authentication, type AuthenticationMethod, renewable } from "./method.ts";
import { given, readBearer } from "./sources.ts";
import type { AllowedAlgorithms } from "./tokens/algorithms.ts";
import { type PublishedKeysContext, publishedKeys } from "./tokens/published-keys.ts";
import { staticKeys } from "./tokens/token-keys.ts";
import { createClaimReader } from "./tokens/token-owner.ts";
import { createTokenVerifier, type TokenVerifier } from "./tokens/token-verifier.ts";

/** The address at which a developer publishes keys. */
interface KeyAddress {
  readonly url: string;
  /** Whether the address may be a private one. */
  readonly allowPrivate: boolean;
}

/** The longest key set in bytes, and milliseconds within which it must be fetched. */
const bounds = { longest: 64 * 1024, patience: 5_000 };

/**
 * Verifies tokens with the keys at an address, ignoring the names of these keys: `kid` of such a token names the key
 * of the gateway. If none of them signed a token, fetches the keys again, at most every 30 seconds. `most`: the
 * number of tokens to cache.
 */
export function verifierOfAddress(
  { url, allowPrivate }: KeyAddress,
  algorithms: AllowedAlgorithms,
  most: number,
  context: PublishedKeysContext,
): TokenVerifier {
  const ask = (signal: AbortSignal) => readOutsideJson({ url, allowPrivate, signal, ...bounds });
  const keys = publishedKeys({ url, ask }, context);
  const unnamed = { version: () => keys.version(), find: ({ alg }: { alg: string }) => keys.find({ alg }) };
  const verifier = createTokenVerifier(algorithms, unnamed, most);
  return {
    async verify(token) {
      const signed = await verifier.verify(token);
      if (signed !== undefined) return signed;
      return (await keys.search()) ? verifier.verify(token) : undefined;
    },
  };
}

export type JwtOfKeysOptions = Omit<JwtOptions, "source" | "jwksURIs">;

/** The most cached verifiers, and milliseconds for which each is cached. */
const mostVerifiers = 1_000;
const longestAge = 60_000;
/** The most tokens that each verifier caches. */
const mostTokens = 50;

/** Verifies the token with `jwt_data` of the key that it names; its session is that of the key. */
export function jwtOfKeys(options: JwtOfKeysOptions): AuthenticationMethod {
  const { header, query, cookie, signingMethod } = options;
  const sources = given({ header, query, cookie });
  const algorithms = readAlgorithms(signingMethod);
  return {
    identity: "jwt_claim",
    accepts: { kind: "jwt", signing: algorithms },
    start({ keys, log, signal, keysChanged }) {
      const findVerifier = createVerifiers(algorithms, { log, signal, keysChanged });
      const readClaims = createClaimReader(options);

      function judge(token: string, hash: string, key: FoundKey | undefined): Eventually<Authentication> {
        const verifier = key && findVerifier(hash, key.record.jwt_data ?? {});
        if (key === undefined || verifier === undefined) return disallowed();
        const caller = authenticateToken(token, verifier, readClaims);
        return caller instanceof Promise ? caller.then((each) => withKey(each, key)) : withKey(caller, key);
      }

      return {
        sources,
        challenge: "Bearer",
        authenticate(call) {
          const token = readBearer(call, sources);
          if (token === undefined || token instanceof GatewayError) return token;
          return renewable(() => {
            const hash = hashOfNamedKey(token);
            if (hash === undefined) return disallowed();
            const key = keys?.findKey(hash);
            return key instanceof Promise
              ? key.then((found) => judge(token, hash, found))
              : judge(token, hash, key);
          });
        },
      };
    },
  };
}

/** Returns the caller of a token with the session of the key that it names. */
function withKey(caller: Authentication, { session, record }: FoundKey): Authentication {
  if (caller === undefined || caller instanceof GatewayError) return caller;
  const known = { ...caller, session, metadata: session.metadata };
  return isKeySetAddress(record.jwt_data?.secret ?? "") ? withPeriod(known) : known;
}

function hashOfNamedKey(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" ? hashKey(kid) : undefined;
  } catch {
    return undefined; // not a token
  }
}

/** `jwt_data` of a key. */
type KeyOfTokens = NonNullable<KeyRecord["jwt_data"]>;

/** Returns the cache of verifiers by key; a changed secret gets a new verifier, an unusable secret `undefined`. */
function createVerifiers(
  algorithms: AllowedAlgorithms,
  context: PublishedKeysContext,
): (hash: string, key: KeyOfTokens) => TokenVerifier | undefined {
  const ofSecrets = createRemembered(longestAge);
  // Fetched keys have their own lifetime.
  const ofAddresses = createRemembered(Number.POSITIVE_INFINITY);
  return (hash, { secret = "", allow_private: allowPrivate = false }) => {
    const [remembered, name] = isKeySetAddress(secret)
      ? [ofAddresses, `${allowPrivate} ${secret}`]
      : [ofSecrets, secret];
    const known = remembered.get(hash);
    if (known?.name === name) return known.verifier;
    const verifier = createVerifier(algorithms, { secret, allow_private: allowPrivate }, context);
    if (verifier !== undefined) remembered.set(hash, { name, verifier });
    return verifier;
  };
}

function createRemembered(age: number) {
  return new BoundedCache<{ name: string; verifier: TokenVerifier }>(mostVerifiers, age);
}

function createVerifier(
  algorithms: AllowedAlgorithms,
  { secret = "", allow_private: allowPrivate = false }: KeyOfTokens,
  context: PublishedKeysContext,
): TokenVerifier | undefined {
  if (secret === "") return undefined;
  if (isKeySetAddress(secret)) {
    // A published key must never serve as an HMAC secret.
    if (algorithms.family === "hmac") return undefined;
    return verifierOfAddress({ url: secret, allowPrivate }, algorithms, mostTokens, context);
  }
  try {
    return createTokenVerifier(algorithms, staticKeys(secret, algorithms.family), mostTokens);
  } catch (error) {
    if (error instanceof EnvironmentError) return undefined;
    throw error;
  }
}
