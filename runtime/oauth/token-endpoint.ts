// The endpoint `POST /oauth/token`, which issues tokens for the credentials of a client, for a refresh token, or for
// the code of a user or a device (RFC 6749, sections 4.4, 6 and 4.1.3; RFC 8628, section 3.4).

import { hash, randomUUID, timingSafeEqual } from "node:crypto";
import { heldScopes, type OauthClient } from "./clients.ts";
import type { Form } from "./form.ts";
import { OauthError } from "./oauth-error.ts";
import {
  createToken,
  type Grant,
  hashToken,
  isRefreshToken,
  type KeptToken,
  type TokenStore,
} from "./tokens.ts";

/** The grant type of devices (RFC 8628, section 3.4). */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The rules for issuing tokens. */
export interface TokenRules {
  /** The lifetime of an access token in milliseconds. */
  readonly accessLifetime: number;
  /** The lifetime of a refresh token in milliseconds; absent if none are issued. */
  readonly refreshLifetime?: number;
  /** Whether clients can exchange authorization codes. */
  readonly hasCodes?: boolean;
  /** Returns the grant of an allowed device code; absent if devices get no tokens. */
  readonly exchangeDevice?: (client: OauthClient, form: Form) => Promise<Grant | OauthError>;
}

/** The JSON body of a response; `undefined` for an empty one. */
export type OauthAnswer = Readonly<Record<string, unknown>> | undefined;

/** The maximum number of tokens of clients without a limit of their own, so that no client can fill the memory. */
const mostByDefault = 1_000;

/** Creates the handler for requests of authenticated clients. It rejects if the store does. */
export function createTokenEndpoint(
  tokens: TokenStore,
  rules: TokenRules,
): (client: OauthClient, form: Form) => Promise<OauthAnswer | OauthError> {
  /**
   * Issues tokens. `granted`: the scopes of the refresh token, even if fewer are requested now (RFC 6749, section 6).
   */
  async function give(
    client: OauthClient,
    scopes: readonly string[],
    granted: readonly string[],
    { family, user }: Pick<Grant, "family" | "user">,
  ): Promise<OauthAnswer | OauthError> {
    const grant = {
      client: client.client_id,
      scopes,
      family,
      ...(user !== undefined && { user }),
      issued: Date.now(),
    };
    const access = createKept(grant, rules.accessLifetime);
    const refresh =
      rules.refreshLifetime === undefined
        ? undefined
        : createKept({ ...grant, scopes: granted }, rules.refreshLifetime);
    const result = await tokens.issue(access.kept, refresh?.kept, limitOf(client));
    if (result !== "kept") return refuse(result, rules);
    return {
      access_token: access.token,
      token_type: "Bearer",
      expires_in: Math.floor(rules.accessLifetime / 1000),
      ...(refresh !== undefined && { refresh_token: refresh.token }),
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    };
  }

  async function refresh(client: OauthClient, form: Form) {
    const presented = form.get("refresh_token");
    if (presented === undefined) return new OauthError("invalid_request", "`refresh_token` is missing");
    const hash = hashToken(presented);
    const known = await tokens.findRefresh(hash);
    if (known !== undefined && !isRefreshToken(known))
      return new OauthError("invalid_grant", "The refresh token is invalid");
    const granted = heldScopes(known?.scopes ?? [], client);
    const scopes = known?.client === client.client_id ? narrowScopes(granted, form) : [];
    // A request for too many scopes does not use up the token.
    if (scopes instanceof OauthError) return scopes;
    const taken = await takeOwn(client, hash, known, tokens);
    if (taken === undefined) return new OauthError("invalid_grant", "The refresh token is invalid");
    return give(client, scopes, granted, taken);
  }

  /** Exchanges a code. The first attempt of its client uses the code up, whether it succeeds or not. */
  async function exchange(client: OauthClient, form: Form) {
    const [code, redirectUri, verifier] = ["code", "redirect_uri", "code_verifier"].map((name) =>
      form.get(name),
    );
    if (code === undefined || redirectUri === undefined || verifier === undefined)
      return new OauthError("invalid_request", "`code`, `redirect_uri` or `code_verifier` is missing");
    const name = hashToken(code);
    const known = await tokens.findRefresh(name);
    const refused = new OauthError("invalid_grant", "The authorization code is invalid");
    if (known !== undefined && known.code === undefined) return refused;
    const taken = await takeOwn(client, name, known, tokens);
    if (taken?.code === undefined) return refused;
    const isFitting = taken.code.redirectUri === redirectUri && isVerifiedBy(taken.code.challenge, verifier);
    if (!isFitting) return refused;
    const scopes = heldScopes(taken.scopes, client);
    return give(client, scopes, scopes, taken);
  }

  return async (client, form) => {
    switch (form.get("grant_type")) {
      case undefined:
        return new OauthError("invalid_request", "`grant_type` is missing");
      case "client_credentials": {
        const scopes = narrowScopes(client.scopes ?? [], form);
        return scopes instanceof OauthError ? scopes : give(client, scopes, scopes, { family: randomUUID() });
      }
      case "refresh_token":
        return refresh(client, form);
      case "authorization_code":
        return rules.hasCodes === true ? exchange(client, form) : unsupportedGrant(rules);
      case deviceGrant: {
        const allowed = await rules.exchangeDevice?.(client, form);
        if (allowed === undefined) return unsupportedGrant(rules);
        if (allowed instanceof OauthError) return allowed;
        const scopes = heldScopes(allowed.scopes, client);
        return give(client, scopes, scopes, allowed);
      }
      default:
        return unsupportedGrant(rules);
    }
  };
}

function createKept(grant: Omit<Grant, "expires">, lifetime: number): { token: string; kept: KeptToken } {
  const token = createToken();
  return { token, kept: { hash: hashToken(token), grant: { ...grant, expires: grant.issued + lifetime } } };
}

/** Returns the grant of a client's refresh token and uses the token up. If it was used before, revokes its family. */
export async function takeOwn(
  client: OauthClient,
  hash: string,
  known: Grant | undefined,
  tokens: TokenStore,
): Promise<Grant | undefined> {
  // A request of another client does not use up the token.
  if (known !== undefined && known.client !== client.client_id) return undefined;
  const taken = await tokens.takeRefresh(hash);
  if (taken === undefined) return undefined;
  if (!taken.wasSpent) return taken.grant.client === client.client_id ? taken.grant : undefined;
  await tokens.revokeFamily(taken.grant.client, taken.grant.family);
  return undefined;
}

/** Returns the requested scopes, or all of `granted` if none are requested; an error if one is not granted. */
export function narrowScopes(granted: readonly string[], form: Form): readonly string[] | OauthError {
  const requested = form
    .get("scope")
    ?.split(" ")
    .filter((scope) => scope !== "");
  if (requested === undefined) return granted;
  const isGranted = requested.every((scope) => granted.includes(scope));
  return isGranted
    ? [...new Set(requested)]
    : new OauthError("invalid_scope", "The client may not have every requested scope");
}

function limitOf({ oauth_usage_limit: limit = -1 }: OauthClient): number {
  return limit > 0 ? limit : mostByDefault;
}

function refuse(result: "limit" | "full", { accessLifetime }: TokenRules): OauthError {
  if (result === "full") {
    return new OauthError("temporarily_unavailable", "No more tokens can be stored at the moment", 503, {
      "retry-after": "60",
    });
  }
  const description = "The client has the maximum number of tokens";
  return new OauthError("temporarily_unavailable", description, 429, {
    "retry-after": String(Math.ceil(accessLifetime / 1000)),
  });
}

function unsupportedGrant({ hasCodes = false, exchangeDevice }: TokenRules): OauthError {
  const codes = `${hasCodes ? "authorization_code, " : ""}${exchangeDevice === undefined ? "" : `${deviceGrant}, `}`;
  return new OauthError("unsupported_grant_type", `Grants are ${codes}client_credentials and refresh_token`);
}

/** Verifies the challenge with the method `S256` (RFC 7636, section 4.6). A malformed verifier (4.1) never matches. */
function isVerifiedBy(challenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false;
  const [given, wanted] = [Buffer.from(hash("sha256", verifier, "base64url")), Buffer.from(challenge)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
