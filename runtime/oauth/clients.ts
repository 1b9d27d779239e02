// Programs that get tokens here: their records and where those are kept.

import type { Eventually } from "../component/resource.ts";
import type { Store } from "../store/store.ts";

/** A client as it is recorded. */
export interface OauthClient {
  readonly client_id: string;
  /** SHA-256 of its secret, 64 hexadecimal digits; the secret itself is long and random. */
  readonly secret_hash: string;
  /** The policy that its tokens bring. */
  readonly policy_id: string;
  /** What its tokens may be good for; a request may ask for fewer. */
  readonly scopes?: readonly string[];
  /** Most tokens that hold at once; -1 or 0 for any number. */
  readonly oauth_usage_limit?: number;
  /** Whether it may ask about the tokens of others, as a server does that is sent them. */
  readonly may_introspect?: boolean;
  /** Where its users go back to with a code; compared as a whole (RFC 9700, section 2.1). */
  readonly redirect_uri?: string;
  readonly redirect_uris?: readonly string[];
  /** Whether it may ask users for devices. */
  readonly device_authorization?: boolean;
  /** Such a client gets no token, and those it has do not hold. */
  readonly is_inactive?: boolean;
  /** Name for people. */
  readonly app_description?: string;
  readonly org_id?: string;
  readonly meta_data?: Readonly<Record<string, unknown>>;
}

/** Where the records of clients are kept. */
export interface ClientStore {
  /** Rejects with a `GatewayError` when the store is away; nothing is known then, not even that there is none. */
  findClient(id: string): Eventually<OauthClient | undefined>;
  /** Called once, before the gateway listens. */
  start?(context: { readonly store?: Store }): Promise<void>;
}

/** Those of the scopes a token was given for that its client may still have. */
export function heldScopes(scopes: readonly string[], client: OauthClient): readonly string[] {
  return scopes.filter((scope) => client.scopes?.includes(scope) === true);
}

/** Clients that stay the same as long as the gateway runs; of several with one id the first counts. */
export function configuredClients(clients: readonly OauthClient[]): ClientStore {
  const byId = new Map(clients.toReversed().map((client) => [client.client_id, client]));
  return { findClient: (id) => byId.get(id) };
}
