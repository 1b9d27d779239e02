// Tokens that only their issuer can tell about (RFC 7662): `type: oauth2` and `openIdConnect` with `introspection`.

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

/** Characters of the longest token that is asked about: those of a header that is accepted at all. */
const longestToken = 8_192;
const tokenPattern = /^[\x21-\x7e]+$/;
/** Milliseconds between questions about the token of an open connection: usual, and at least. */
const usualRecheck = 1_000;
const shortestRecheck = 100;

/** Asks the issuer about each token, and remembers the answer for a moment; while it cannot be asked all callers are refused. */
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
            // Connections with the same token share an answer.
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

// What an issuer says of tokens when it is asked (RFC 7662).

/** The `introspection` block. */
interface IntrospectionBlock {
  readonly url: string;
  /** What the gateway proves itself to the issuer with. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Milliseconds that an answer counts for requests; 0: not at all. */
  readonly cacheTimeout?: number;
  /** Milliseconds between questions about the token of an open connection. */
  readonly recheckInterval?: number;
}

/** Answers remembered at once; those about tokens that do not hold have their own room, so that guesses drive out no others. */
const mostActive = 10_000;
const mostInactive = 1_000;
/** Questions under way at once: more would only wait for an issuer that is too slow. */
const mostAsked = 64;
const defaultAge = 30_000;

/** What an issuer said of a token that holds, and when, by the monotonic clock. */
interface ActiveAnswer {
  readonly claims: Claims;
  readonly at: number;
}

/**
 * What the issuer says of a token, in an answer of at most that age (milliseconds) where it was asked before; `undefined` where
 * it does not hold. Rejects with a `GatewayError` (503) without an answer.
 */
export function createTokenAsker(
  { url, clientId, clientSecret = "", cacheTimeout: age = defaultAge }: IntrospectionBlock,
  { log, signal, now = () => performance.now() }: PublishedKeysContext,
): (token: string, mostAge?: number) => Promise<Claims | undefined> {
  const active = new BoundedCache<ActiveAnswer>(mostActive, age, now);
  const inactive = new BoundedCache<true>(mostInactive, age, now);
  const asked = new Map<string, Promise<Claims | undefined>>();
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
      // Else a client with made-up tokens that no issuer can read would block the requests about all others.
      if (isAboutToken(error)) {
        forget(name);
        return undefined;
      }
      // An issuer that is away is not asked with every request, or it would not come back.
      notBefore = now() + backoff.next();
      if (!signal.aborted) log.warn("token introspection failed", { error });
      throw error;
    } finally {
      asked.delete(name);
    }
  }

  /** A token that was taken back opens nothing any more, though an earlier answer would count. */
  function forget(name: string): void {
    active.delete(name);
    if (age > 0) inactive.set(name, true);
  }

  return async (token, mostAge = Number.POSITIVE_INFINITY) => {
    const name = hash("sha256", token, "base64url");
    const known = active.get(name);
    if (known !== undefined && now() - known.at <= mostAge) return known.claims;
    if (inactive.get(name)) return undefined;
    const waiting = asked.get(name);
    if (waiting !== undefined) return waiting;
    if (asked.size >= mostAsked || now() < notBefore) throw unavailable();
    const answer = ask(token, name);
    asked.set(name, answer);
    return answer;
  };
}

/** Whether an issuer could make nothing of the token: such answers say nothing of others. */
function isAboutToken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof UnexpectedStatus && [400, 413, 414, 422].includes(cause.status);
}

/** Without a prototype, as the claims of signed tokens. */
function toClaims(answer: Readonly<Record<string, unknown>>): Claims {
  return Object.assign(Object.create(null), answer);
}

/** RFC 6749, section 2.3.1: both are encoded as in a form first. */
function basicOf(id: string, secret: string): string {
  const [user, password] = [id, secret].map((text) => new URLSearchParams([["", text]]).toString().slice(1));
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
