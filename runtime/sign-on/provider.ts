// The provider, as a client of OpenID Connect sees it: discovery, authorization codes with PKCE, ID tokens, logout. Its answers
// are not trusted to be small or soon.

import {
  createRemoteJWKSet,
  decodeJwt,
  type JWTVerifyGetKey,
  jwtVerify,
  customFetch as keyFetch,
} from "jose";
import * as oauth from "oauth4webapi";
import { readAtMost } from "../requests/bounded-answer.ts";
import type { PendingSignIn } from "./pending.ts";
import type { SignOnSettings } from "./settings.ts";

/** Bytes of an answer: discovery documents and key sets fit several times. */
const longest = 256 * 1024;

/** Milliseconds for the whole of it. */
const patience = 10_000;

/** What a request consists of; its redirections and its end are not the caller's. */
interface BoundedRequest {
  readonly method?: string | undefined;
  readonly headers?: RequestInit["headers"] | undefined;
  readonly body?: RequestInit["body"] | undefined;
}

/** Sends a request as `fetch` does. */
type BoundedFetch = (address: string, request: BoundedRequest) => Promise<Response>;

/** Whether an address is of this machine, which development and tests may reach without TLS. */
function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/**
 * Requests of `https`, or to this machine where `allowsLoopback`. Redirections are not followed. Rejects with a `TypeError`
 * for other addresses and for answers that are too long, and with what `fetch` rejects with.
 */
function createBoundedFetch(allowsLoopback: boolean, signal: AbortSignal): BoundedFetch {
  return async (address, { method = "GET", headers: sent = {}, body: content = null }) => {
    const url = new URL(address);
    const isAllowed = url.protocol === "https:" || (allowsLoopback && isLoopback(url));
    if (!isAllowed) throw new TypeError(`${url.origin} is not an origin of https`);
    const signals = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const init = { method, headers: sent, body: content, redirect: "manual", signal: signals } as const;
    const response = await fetch(url, init);
    const body = await readAtMost(response, longest, tooLong);
    const { status, statusText, headers } = response;
    const isEmpty = status === 204 || status === 205 || status === 304;
    return new Response(isEmpty ? null : body, { status, statusText, headers });
  };
}

function tooLong(): TypeError {
  return new TypeError(`an answer is longer than ${longest} bytes`);
}

/** What the server is to the provider. */
export interface ProviderOptions {
  readonly settings: Required<SignOnSettings>;
  readonly secret: string;
  /** Where the provider sends people back to. */
  readonly redirectUri: string;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** A person who has signed in at a provider. */
export interface SignedIn {
  /** Validated claims of the ID token. */
  readonly claims: oauth.IDToken;
  readonly idToken: string;
}

/** Whose sessions a provider has ended: those of a session of its own, or all of a person. */
export interface EndedByProvider {
  readonly sub: string | undefined;
  readonly sid: string | undefined;
  /** Unix seconds by the provider's clock. */
  readonly issuedAt: number;
}

/** A provider; each call rejects where it cannot be reached, or says what does not hold. */
export interface Provider {
  /** Where a browser is sent to sign in. */
  authorizationUrl(pending: PendingSignIn): Promise<URL>;
  /** Exchanges the code of an answer, and validates the ID token. */
  exchange(answer: URLSearchParams, pending: PendingSignIn): Promise<SignedIn>;
  /** Where a browser is sent to sign out there, too; `undefined` where the provider has no such place. */
  endSessionUrl(idToken: string, home: string): Promise<URL | undefined>;
  /** Validates a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
  readLogout(token: string): Promise<EndedByProvider>;
}

/** Signatures by public keys only: a shared secret or none proves nothing of the issuer. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
/** Seconds that clocks may differ by. */
const clockTolerance = 30;
/** Milliseconds until the discovery document is read again. */
const discoveryLifetime = 60 * 60_000;
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

interface Discovered {
  readonly server: oauth.AuthorizationServer;
  readonly keys: JWTVerifyGetKey;
  readonly until: number;
}

/** A client of the provider; nothing is asked before it is needed. */
export function createProvider({ settings, secret, redirectUri, signal }: ProviderOptions): Provider {
  const issuer = new URL(settings.issuer);
  const request = createBoundedFetch(isLoopback(issuer), signal);
  const options = { [oauth.customFetch]: request, [oauth.allowInsecureRequests]: isLoopback(issuer) };
  const client: oauth.Client = { client_id: settings.client_id, [oauth.clockTolerance]: clockTolerance };
  const discover = discoveryOf(issuer, request, options);
  const verify = async (token: string, keys: JWTVerifyGetKey, server: oauth.AuthorizationServer) =>
    jwtVerify(token, keys, {
      issuer: server.issuer,
      audience: settings.client_id,
      algorithms,
      clockTolerance,
      requiredClaims: ["iat", "exp"],
    });
  return {
    async authorizationUrl({ state, nonce, verifier }) {
      const { server } = await discover();
      const url = new URL(needed(server.authorization_endpoint, "authorization_endpoint"));
      if (url.protocol !== "https:" && !isLoopback(url)) throw new TypeError("a provider is not of https");
      const parameters = {
        response_type: "code",
        client_id: settings.client_id,
        redirect_uri: redirectUri,
        scope: settings.scopes.join(" "),
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    async exchange(answer, { state, nonce, verifier }) {
      const { server, keys } = await discover();
      const parameters = oauth.validateAuthResponse(server, client, answer, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authenticationAt(server, secret),
        parameters,
        redirectUri,
        verifier,
        options,
      );
      const result = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      const claims = oauth.getValidatedIdTokenClaims(result);
      const { id_token: idToken } = result;
      if (claims === undefined || idToken === undefined) throw new TypeError("there is no ID token");
      // The library looks at it only where a token is for several (OpenID Connect Core, section 3.1.3.7, step 5).
      if (claims.azp !== undefined && claims.azp !== settings.client_id)
        throw new TypeError("the ID token was given to another client");
      // The library relies on TLS for tokens that come straight from the provider; the signature is verified, too.
      await verify(idToken, keys, server);
      return { claims, idToken };
    },
    async endSessionUrl(idToken, home) {
      const { server } = await discover();
      if (server.end_session_endpoint === undefined) return undefined;
      const url = new URL(server.end_session_endpoint);
      if (url.protocol !== "https:" && !isLoopback(url)) throw new TypeError("a provider is not of https");
      url.searchParams.set("id_token_hint", idToken);
      url.searchParams.set("client_id", settings.client_id);
      url.searchParams.set("post_logout_redirect_uri", home);
      return url;
    },
    async readLogout(token) {
      const { server, keys } = await discover();
      const { payload, protectedHeader } = await verify(token, keys, server);
      const { typ = "logout+jwt" } = protectedHeader;
      const isLogout = typ.toLowerCase() === "logout+jwt" || typ === "JWT";
      const { sub, sid, events, nonce, jti, iat } = payload;
      const isEvent = typeof events === "object" && events !== null && Object.hasOwn(events, logoutEvent);
      if (!isLogout || !isEvent || nonce !== undefined || jti === undefined || iat === undefined)
        throw new TypeError("it is not a logout token");
      const ended = { sub, sid: typeof sid === "string" ? sid : undefined, issuedAt: iat };
      if (ended.sub === undefined && ended.sid === undefined)
        throw new TypeError("a logout token names neither a subject nor a session");
      return ended;
    },
  };
}

/**
 * Whether a session whose ID token is `idToken` began before the logout, so that a logout token that is sent again ends nothing that
 * began since. Both times are the provider's, whose servers may differ by a little.
 */
export function beganBefore({ issuedAt }: Pick<EndedByProvider, "issuedAt">, idToken: string): boolean {
  const { iat = 0 } = decodeJwt(idToken);
  return iat <= issuedAt + clockTolerance;
}

/** Reads the discovery document when it is needed, once for all who wait, and again after an hour. */
function discoveryOf(
  issuer: URL,
  request: ReturnType<typeof createBoundedFetch>,
  options: oauth.DiscoveryRequestOptions,
): () => Promise<Discovered> {
  let known: Discovered | undefined;
  let asked: Promise<Discovered> | undefined;
  const ask = async (): Promise<Discovered> => {
    const response = await oauth.discoveryRequest(issuer, { ...options, algorithm: "oidc" });
    const server = await oauth.processDiscoveryResponse(issuer, response);
    const keys = createRemoteJWKSet(new URL(needed(server.jwks_uri, "jwks_uri")), { [keyFetch]: request });
    known = { server, keys, until: performance.now() + discoveryLifetime };
    return known;
  };
  return async () => {
    if (known !== undefined && performance.now() < known.until) return known;
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

/** As the provider takes it; in the header where it says nothing (RFC 8414, section 2). */
function authenticationAt(
  { token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer,
  secret: string,
): oauth.ClientAuth {
  const inHeader = methods?.includes("client_secret_basic") ?? true;
  return inHeader ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}

function needed(value: string | undefined, name: string): string {
  if (value === undefined) throw new TypeError(`the discovery document has no ${name}`);
  return value;
}
