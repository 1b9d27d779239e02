// Signed tokens: `type: http` with `scheme: bearer` and `bearerFormat: JWT`.

import { GatewayError } from "../../errors.ts";
import { EnvironmentError } from "../../process/environment.ts";
import type { ProtectionContext } from "../../protection.ts";
import { disallowed } from "./decide.ts";
import { type Authentication, type AuthenticationMethod, type Authenticator, renewable } from "./method.ts";
import { type CredentialSources, given, readBearer } from "./sources.ts";
import { type AllowedAlgorithms, findAlgorithms } from "./tokens/algorithms.ts";
import { joinedKeys, publishedKeys } from "./tokens/published-keys.ts";
import { staticKeys, type TokenKeys } from "./tokens/token-keys.ts";
import { type ClaimOptions, createOwnerReader, type ReadClaims } from "./tokens/token-owner.ts";
import { createTokenVerifier, type TokenVerifier } from "./tokens/token-verifier.ts";

export interface JwtOptions extends CredentialSources, ClaimOptions {
  /** A family (`hmac`, `rsa`, `ecdsa`, `eddsa`) or one algorithm. */
  readonly signingMethod: string;
  /** The key, or the address that publishes keys; either also in Base64. */
  readonly source?: string;
  readonly jwksURIs?: readonly {
    readonly url: string;
    /** Milliseconds that fetched keys are trusted. */
    readonly cacheTimeout?: number;
  }[];
}

/**
 * Verifies the token with the keys that the document names. Throws an `EnvironmentError` for a key that is of no use, or
 * keys at an address where secrets are needed.
 */
export function jwt(options: JwtOptions): AuthenticationMethod {
  const { header, query, cookie, signingMethod } = options;
  const sources = given({ header, query, cookie });
  const algorithms = readAlgorithms(signingMethod);
  const createKeys = readKeys(options, algorithms);
  return {
    identity: "jwt_claim",
    start(context) {
      const verifier = createTokenVerifier(algorithms, createKeys(context));
      const readOwner = createOwnerReader(options, context.keys);
      return signedBearer(sources, verifier, readOwner);
    },
  };
}

/** Takes a signed token from `sources`, and the caller that `readClaims` finds in a valid one. */
export function signedBearer(
  sources: CredentialSources,
  verifier: TokenVerifier,
  readClaims: ReadClaims,
): Authenticator {
  return {
    sources,
    challenge: "Bearer",
    authenticate(call) {
      const token = readBearer(call, sources);
      if (token === undefined || token instanceof GatewayError) return token;
      return renewable(async () => withPeriod(await authenticateToken(token, verifier, readClaims)));
    },
  };
}

/** Milliseconds after which a token of an open connection is verified again: its issuer may have replaced its keys. */
const verifiedFor = 60_000;

/** The caller, who is judged again within a minute. */
export function withPeriod(caller: Authentication): Authentication {
  if (caller === undefined || caller instanceof GatewayError) return caller;
  return { ...caller, askAgain: performance.now() + verifiedFor };
}

/** Who the token speaks of; never rejects for what a client sends, nor where keys cannot be had. */
export async function authenticateToken(
  token: string,
  verifier: TokenVerifier,
  readClaims: ReadClaims,
): Promise<Authentication> {
  try {
    const signed = await verifier.verify(token);
    return signed === undefined ? disallowed() : await readClaims(token, signed.claims);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

/** The algorithms of a `signingMethod`; throws an `EnvironmentError` where it names none. */
export function readAlgorithms(signingMethod: string): AllowedAlgorithms {
  const algorithms = findAlgorithms(signingMethod);
  if (algorithms === undefined)
    throw new EnvironmentError(["`signingMethod` names no method of signing tokens"]);
  return algorithms;
}

function readKeys(
  { source, jwksURIs = [] }: JwtOptions,
  { family }: AllowedAlgorithms,
): (context: ProtectionContext) => TokenKeys {
  const address = source === undefined ? undefined : readAddress(source);
  const published = [...(address === undefined ? [] : [{ url: address }]), ...jwksURIs];
  if (published.length === 0) {
    const keys = staticKeys(source ?? "", family);
    return () => keys;
  }
  // A secret that is published is not one, and a published key that served as one would be public.
  if (family === "hmac")
    throw new EnvironmentError(["keys of `signingMethod: hmac` cannot come from an address"]);
  return (context) =>
    joinedKeys(published.map(({ url, ...rest }) => publishedKeys({ url, ...lifetimeOf(rest) }, context)));
}

function lifetimeOf({ cacheTimeout }: { readonly cacheTimeout?: number }): { lifetime?: number } {
  return cacheTimeout === undefined ? {} : { lifetime: cacheTimeout };
}

/** `https://…`, also in Base64. */
function readAddress(source: string): string | undefined {
  const texts = [source.trim(), Buffer.from(source, "base64").toString("latin1").trim()];
  return texts.find((text) => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text));
}
