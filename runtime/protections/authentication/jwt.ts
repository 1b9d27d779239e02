// Signed tokens (RFC 6750, section 2.1; RFC 7519, section 7.2): `type: http` with `scheme: bearer` and `bearerFormat: JWT`.

import type { Eventually } from "../../component/resource.ts";
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
import { createTokenVerifier, type SignedToken, type TokenVerifier } from "./tokens/token-verifier.ts";

export interface JwtOptions extends CredentialSources, ClaimOptions {
  /** A family (`hmac`, `rsa`, `ecdsa`, `eddsa`) or one algorithm. */
  readonly signingMethod: string;
  /** The key, or the address at which keys are published; either also in Base64. */
  readonly source?: string;
  readonly jwksURIs?: readonly {
    readonly url: string;
    /** Milliseconds for which fetched keys are trusted. */
    readonly cacheTimeout?: number;
  }[];
}

/**
 * Verifies tokens with the keys that the document names. Throws an `EnvironmentError` if a key is unusable, or if
 * keys for `hmac` come from an address.
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

/** Reads a signed token from `sources`, and returns the caller that `readClaims` finds in a valid one. */
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
      return renewable(() => {
        const caller = authenticateToken(token, verifier, readClaims);
        return caller instanceof Promise ? caller.then(withPeriod) : withPeriod(caller);
      });
    },
  };
}

/**
 * Milliseconds after which the token of an open connection is verified again: its issuer may have replaced its keys.
 */
const verifiedFor = 60_000;

/** Returns the caller, whose right is evaluated again within a minute. */
export function withPeriod(caller: Authentication): Authentication {
  if (caller === undefined || caller instanceof GatewayError) return caller;
  return { ...caller, askAgain: performance.now() + verifiedFor };
}

/**
 * Returns the caller of a token, without a promise if the token was verified before; never rejects because of what a
 * client sends, or if keys cannot be fetched.
 */
export function authenticateToken(
  token: string,
  verifier: TokenVerifier,
  readClaims: ReadClaims,
): Eventually<Authentication> {
  const read = (signed: SignedToken | undefined) =>
    signed === undefined ? disallowed() : readClaims(token, signed.claims);
  try {
    const signed = verifier.verify(token);
    const caller = signed instanceof Promise ? signed.then(read) : read(signed);
    return caller instanceof Promise ? caller.catch(refusalOf) : caller;
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

/** Returns the algorithms of a `signingMethod`; throws an `EnvironmentError` if it is not a method. */
export function readAlgorithms(signingMethod: string): AllowedAlgorithms {
  const algorithms = findAlgorithms(signingMethod);
  if (algorithms === undefined) throw new EnvironmentError(["`signingMethod` is not a signing method"]);
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
  // A published secret is not secret: anyone could sign with it.
  if (family === "hmac")
    throw new EnvironmentError(["keys of `signingMethod: hmac` cannot come from an address"]);
  return (context) =>
    joinedKeys(published.map(({ url, ...rest }) => publishedKeys({ url, ...lifetimeOf(rest) }, context)));
}

function lifetimeOf({ cacheTimeout }: { readonly cacheTimeout?: number }): { lifetime?: number } {
  return cacheTimeout === undefined ? {} : { lifetime: cacheTimeout };
}

/** Returns the address if `source` is one (`https://…`), also in Base64; otherwise `undefined`. */
function readAddress(source: string): string | undefined {
  const texts = [source.trim(), Buffer.from(source, "base64").toString("latin1").trim()];
  return texts.find((text) => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text));
}
