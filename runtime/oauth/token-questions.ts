// `POST /oauth/revoke` (RFC 7009) and `POST /oauth/introspect` (RFC 7662).

import { type ClientStore, heldScopes, type OauthClient } from "./clients.ts";
import type { Form } from "./form.ts";
import { OauthError } from "./oauth-error.ts";
import type { OauthAnswer } from "./token-endpoint.ts";
import { type Grant, hashToken, type TokenStore } from "./tokens.ts";

type Endpoint = (client: OauthClient, form: Form) => Promise<OauthAnswer | OauthError>;

/**
 * Takes a token of the client's back; a refresh token with everything that was got for it. What is no token of its own
 * is answered the same: it is not told what others have.
 */
export function createRevocationEndpoint(tokens: TokenStore): Endpoint {
  return async (client, form) => {
    const hash = hashOf(form);
    if (hash instanceof OauthError) return hash;
    const access = await tokens.findAccess(hash);
    if (access?.client === client.client_id) await tokens.revokeAccess(hash);
    const refresh = access === undefined ? await tokens.findRefresh(hash) : undefined;
    if (refresh?.client === client.client_id) await tokens.revokeFamily(refresh.client, refresh.family);
    return undefined;
  };
}

/** Says what a token is good for, to its client and to those that may ask about all; to others it is not active. */
export function createIntrospectionEndpoint(tokens: TokenStore, clients: ClientStore): Endpoint {
  return async (client, form) => {
    const hash = hashOf(form);
    if (hash instanceof OauthError) return hash;
    const access = await tokens.findAccess(hash);
    const grant = access ?? (await tokens.findRefresh(hash));
    if (grant === undefined) return { active: false };
    const mayAsk = grant.client === client.client_id || client.may_introspect === true;
    const owner = mayAsk ? await clients.findClient(grant.client) : undefined;
    if (owner === undefined || owner.is_inactive === true) return { active: false };
    const held = { ...grant, scopes: heldScopes(grant.scopes, owner) };
    return describe(held, access === undefined ? {} : { token_type: "Bearer" });
  };
}

function describe(
  { client, scopes, issued, expires }: Grant,
  more: Readonly<Record<string, string>>,
): OauthAnswer {
  return {
    active: true,
    client_id: client,
    sub: client,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    iat: Math.floor(issued / 1000),
    exp: Math.floor(expires / 1000),
    ...more,
  };
}

function hashOf(form: Form): string | OauthError {
  const token = form.get("token");
  return token === undefined ? new OauthError("invalid_request", "`token` is missing") : hashToken(token);
}
