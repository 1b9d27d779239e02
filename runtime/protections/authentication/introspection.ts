// Tokens that only their issuer can verify (RFC 7662): `type: oauth2` and `openIdConnect` with `introspection`.

import { hash } from "node:crypto";
import { type Backoff, createBackoff } from "../../concurrency/backoff.ts";
import { BoundedCache } from "../../concurrency/bounded-cache.ts";
import { GatewayError } from "../../errors.ts";
import { disallowed } from "./decide.ts";
import { type AuthenticationMethod, type Identity, renewable } from "./method.ts";
import { type CredentialSources, given, readBearer } from "./sources.ts";
import { askIssuer, UnexpectedStatus, unavailable } from "./tokens/issuer-requests.ts";
import type { PublishedKeysContext } from "./tokens/published-keys.ts";
import { type ClaimOptions, createOwnerReader } from "./tokens/token-owner.ts";
import type { Claims } from "./tokens/token-verifier.ts";

export interface IntrospectionOptions extends CredentialSources, ClaimOptions {
  readonly identity: Identity;
  readonly introspection: IntrospectionBlock;
}

/** The longest token in characters that is sent to the issuer: no accepted header is longer. */
const longestToken = 8_192;
const tokenPattern = /^[\x21-\x7e]+$/;
/** Milliseconds between two questions about the token of an open connection: the default and the minimum. */
const usualRecheck = 1_000;
const shortestRecheck = 100;

/** Asks the issuer about each token and caches the response; refuses all callers while the issuer is unreachable. */
export function introspection(options: IntrospectionOptions): AuthenticationMethod {
  const { header, query, cookie, identity } = options;
  const sources = given({ header, query, cookie });
  return {
    identity,
    start({ keys, log, signal }) {
      const every = Math.max(options.introspection.recheckInterval ?? usualRecheck, shortestRecheck);
      const ask = createTokenAsker(options.introspection, { log, signal });
      const readOwner = createOwnerReader(options, keys);
      return {
        sources,
        challenge: "Bearer",
        async authenticate(call) {
          const token = readBearer(call, sources);
          if (token === undefined || token instanceof GatewayError) return token;
          if (token.length > longestToken || !tokenPattern.test(token)) return disallowed();
          const judge = async (mostAge?: number) => {
            const claims = await ask(token, mostAge).catch((error: unknown) => knownFailure(error));
            if (claims instanceof GatewayError) return claims;
            const owner = claims === undefined ? disallowed() : await readOwner(token, claims);
            return owner instanceof GatewayError ? owner : { ...owner, askAgain: performance.now() + every };
          };
          return renewable(
            () => judge(),
            // Connections with the same token share a response.
            () => judge(every / 2),
          );
        },
      };
    },
  };
}

function knownFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

// The requests to an issuer for the state of tokens (RFC 7662).

/** The `introspection` block. */
interface IntrospectionBlock {
  readonly url: string;
  /** The credentials with which the gateway authenticates at the issuer. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Milliseconds for which a response is cached for requests; 0: not cached. */
  readonly cacheTimeout?: number;
  /** Milliseconds between two questions about the token of an open connection. */
  readonly recheckInterval?: number;
}

/** The most cached responses. Those for invalid tokens have their own cache, so that guesses do not evict others. */
const mostActive = 10_000;
const mostInactive = 1_000;
/** The most concurrent questions: more would only wait for an issuer that is too slow. */
const mostPending = 64;
const defaultAge = 30_000;

/** The response for a valid token, and its time on the monotonic clock. */
interface ActiveAnswer {
  readonly claims: Claims;
  readonly at: number;
}

/**
 * Returns a function that asks the issuer about a token, and uses a cached response of at most `mostAge`
 * milliseconds. It resolves with `undefined` if the token is not valid, and rejects with a `GatewayError` (503) if
 * there is no response.
 */
export function createTokenAsker(
  { url, clientId, clientSecret = "", cacheTimeout: age = defaultAge }: IntrospectionBlock,
  { log, signal, now = () => performance.now() }: PublishedKeysContext,
): (token: string, mostAge?: number) => Promise<Claims | undefined> {
  const active = new BoundedCache<ActiveAnswer>(mostActive, age, now);
  const inactive = new BoundedCache<true>(mostInactive, age, now);
  const pending = new Map<string, Promise<Claims | undefined>>();
  const backoff: Backoff = createBackoff({ first: 100, longest: 5_000 });
  const headers = clientId === undefined ? {} : { authorization: basicOf(clientId, clientSecret) };
  let notBefore = Number.NEGATIVE_INFINITY;

  async function ask(token: string, name: string): Promise<Claims | undefined> {
    const form = new URLSearchParams({ token, token_type_hint: "access_token" });
    try {
      const answer = await askIssuer({ url, form, headers, signal });
      backoff.reset();
      const claims = answer.active === true ? toClaims(answer) : undefined;
      if (age > 0 && claims !== undefined) active.set(name, { claims, at: now() });
      if (claims === undefined) forget(name);
      return claims;
    } catch (error) {
      // Otherwise a client with malformed tokens that make the issuer fail would block the questions about all others.
      if (isAboutToken(error)) {
        forget(name);
        return undefined;
      }
      // Do not ask a failing issuer for every request: it could not recover.
      notBefore = now() + backoff.next();
      if (!signal.aborted) log.warn("token introspection failed", { error });
      throw error;
    } finally {
      pending.delete(name);
    }
  }

  /** Makes a revoked token invalid immediately, even if an earlier response is cached. */
  function forget(name: string): void {
    active.delete(name);
    if (age > 0) inactive.set(name, true);
  }

  return async (token, mostAge = Number.POSITIVE_INFINITY) => {
    const name = hash("sha256", token, "base64url");
    const known = active.get(name);
    if (known !== undefined && now() - known.at <= mostAge) return known.claims;
    if (inactive.get(name)) return undefined;
    const waiting = pending.get(name);
    if (waiting !== undefined) return waiting;
    if (pending.size >= mostPending || now() < notBefore) throw unavailable();
    const answer = ask(token, name);
    pending.set(name, answer);
    return answer;
  };
}

/** Whether the issuer rejected the token itself: the response then says nothing about other tokens. */
function isAboutToken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof UnexpectedStatus && [400, 413, 414, 422].includes(cause.status);
}

/** Returns claims without a prototype, like those of signed tokens. */
function toClaims(answer: Readonly<Record<string, unknown>>): Claims {
  return Object.assign(Object.create(null), answer);
}

/** Returns the credentials for HTTP Basic; both are form-encoded first (RFC 6749, section 2.3.1). */
function basicOf(id: string, secret: string): string {
  const [user, password] = [id, secret].map((text) => new URLSearchParams([["", text]]).toString().slice(1));
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
