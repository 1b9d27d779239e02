// OAuth clients: their records, and the interface of their store.

import type { Eventually } from "../component/resource.ts";
import type { Store } from "../store/store.ts";

/** The record of a client. */
export interface OauthClient {
  readonly client_id: string;
  /** The SHA-256 digest of its secret, as 64 hexadecimal digits. The secret itself is long and random. */
  readonly secret_hash: string;
  /** The policy that applies to its tokens. */
  readonly policy_id: string;
  /** The scopes that its tokens may have. A request may ask for fewer. */
  readonly scopes?: readonly string[];
  /** The maximum number of valid access tokens; -1 or 0 for the server's default. */
  readonly oauth_usage_limit?: number;
  /** Whether it may introspect tokens of other clients, as resource servers do. */
  readonly may_introspect?: boolean;
  /** A URI to which users return with a code. It is compared as a whole (RFC 9700, section 2.1). */
  readonly redirect_uri?: string;
  readonly redirect_uris?: readonly string[];
  /** Whether it may request authorization for devices. */
  readonly device_authorization?: boolean;
  /** Whether the client is disabled: it gets no tokens, and its tokens are not valid. */
  readonly is_inactive?: boolean;
  /** A name for people. */
  readonly app_description?: string;
  readonly org_id?: string;
  readonly meta_data?: Readonly<Record<string, unknown>>;
}

/** A store of client records. */
export interface ClientStore {
  /** Rejects with a `GatewayError` if the store is not available, as it is then unknown whether the client exists. */
  findClient(id: string): Eventually<OauthClient | undefined>;
  /** Called once, before the gateway listens. */
  start?(context: { readonly store?: Store }): Promise<void>;
}

/** Returns the scopes of a token that its client may still have. */
export function heldScopes(scopes: readonly string[], client: OauthClient): readonly string[] {
  return scopes.filter((scope) => client.scopes?.includes(scope) === true);
}

/** Returns a store of fixed clients. The first of several with the same id counts. */
export function configuredClients(clients: readonly OauthClient[]): ClientStore {
  const byId = new Map(clients.toReversed().map((client) => [client.client_id, client]));
  return { findClient: (id) => byId.get(id) };
}
