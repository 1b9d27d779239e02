// A client of an OpenID Connect provider: discovery, authorization codes with PKCE, ID tokens, logout. It limits the
// size and the duration of the provider's responses.

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

/** The maximum size of a response in bytes: several times that of discovery documents and key sets. */
const longest = 256 * 1024;

/** The timeout of a request and its response, in milliseconds. */
const patience = 10_000;

/** A request. The caller controls neither redirects nor its timeout. */
interface BoundedRequest {
  readonly method?: string | undefined;
  readonly headers?: RequestInit["headers"] | undefined;
  readonly body?: RequestInit["body"] | undefined;
}

/** Sends a request as `fetch` does. */
type BoundedFetch = (address: string, request: BoundedRequest) => Promise<Response>;

/** Whether a URL is on this machine, which development and tests may access without TLS. */
function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/**
 * Returns a function that sends requests to `https` URLs, or to this machine if `allowsLoopback`. It does not follow
 * redirects. It rejects with a `TypeError` for other URLs and for responses that are too long, and with the errors of
 * `fetch`.
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

/** The settings of the client. */
export interface ProviderOptions {
  readonly settings: Required<SignOnSettings>;
  readonly secret: string;
  /** The URL to which the provider redirects people. */
  readonly redirectUri: string;
  /** Aborts running requests. */
  readonly signal: AbortSignal;
}

/** A person who has signed in at a provider. */
export interface SignedIn {
  /** The validated claims of the ID token. */
  readonly claims: oauth.IDToken;
  readonly idToken: string;
}

/** A logout at the provider: of one of its sessions, or of all sessions of a person. */
export interface EndedByProvider {
  readonly sub: string | undefined;
  readonly sid: string | undefined;
  /** Unix seconds by the clock of the provider. */
  readonly issuedAt: number;
}

/** A provider. Each method rejects if the provider is not available or its data is not valid. */
export interface Provider {
  /** Returns the URL at which a browser signs in. */
  authorizationUrl(pending: PendingSignIn): Promise<URL>;
  /** Exchanges the code of a response and validates the ID token. */
  exchange(answer: URLSearchParams, pending: PendingSignIn): Promise<SignedIn>;
  /** Returns the URL at which a browser signs out at the provider; `undefined` if the provider has none. */
  endSessionUrl(idToken: string, home: string): Promise<URL | undefined>;
  /** Validates a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
  readLogout(token: string): Promise<EndedByProvider>;
}

/** Only signatures with public keys: shared secrets, or no signature, do not authenticate the issuer. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
/** The accepted difference between clocks, in seconds. */
const clockTolerance = 30;
/** Milliseconds until the discovery document is read again. */
const discoveryLifetime = 60 * 60_000;
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

interface Discovered {
  readonly server: oauth.AuthorizationServer;
  readonly keys: JWTVerifyGetKey;
  readonly until: number;
}

/** Creates a client of the provider. It sends no request before one is needed. */
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
      // The library checks this only for tokens with several audiences (OpenID Connect Core, section 3.1.3.7, step 5).
      if (claims.azp !== undefined && claims.azp !== settings.client_id)
        throw new TypeError("the ID token was given to another client");
      // The library relies on TLS for tokens received directly from the provider. Verify the signature as well.
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
 * Whether the session with this ID token started before the logout, so that a replayed logout token does not end
 * sessions that started later. Both times are from the provider, whose servers' clocks may differ slightly.
 */
export function beganBefore({ issuedAt }: Pick<EndedByProvider, "issuedAt">, idToken: string): boolean {
  const { iat = 0 } = decodeJwt(idToken);
  return iat <= issuedAt + clockTolerance;
}

/** Returns a function that reads the discovery document, once for concurrent callers, and again after an hour. */
function discoveryOf(
  issuer: URL,
  request: ReturnType<typeof createBoundedFetch>,
  options: oauth.DiscoveryRequestOptions,
): () => Promise<Discovered> {
  let known: Discovered | undefined;
  let pending: Promise<Discovered> | undefined;
  const discover = async (): Promise<Discovered> => {
    const response = await oauth.discoveryRequest(issuer, { ...options, algorithm: "oidc" });
    const server = await oauth.processDiscoveryResponse(issuer, response);
    const keys = createRemoteJWKSet(new URL(needed(server.jwks_uri, "jwks_uri")), { [keyFetch]: request });
    known = { server, keys, until: performance.now() + discoveryLifetime };
    return known;
  };
  return async () => {
    if (known !== undefined && performance.now() < known.until) return known;
    pending ??= discover().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

/**
 * Returns the client authentication that the provider supports; HTTP Basic if it does not say (RFC 8414, section 2).
 */
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
