// OAuth clients in the gateway's store, in addition to those of `gateway.yaml`.

import { redisAddress } from "../generated/formats.ts";
import { type Environment, EnvironmentError } from "../process/environment.ts";
import type { RedisAddress } from "../resources/redis-client.ts";
import type { Store } from "../store/store.ts";
import { type ClientStore, configuredClients, type OauthClient } from "./clients.ts";
import { type OauthServer, type OauthServerOptions, oauthServer } from "./oauth-server.ts";
import { redisTokens } from "./redis-tokens.ts";

/** Creates an authorization server for the clients of `gateway.yaml` and those in the gateway's store. */
export function storedOauthServer(env: Environment, options: GatewayOauthOptions): OauthServer {
  return gatewayOauth(env, options, storedClients(options.clients));
}

/** Returns a store that finds fixed clients first, then those of the gateway's store. Changes apply immediately. */
function storedClients(clients: readonly OauthClient[]): ClientStore {
  const configured = configuredClients(clients);
  let store: Store | undefined;
  return {
    async findClient(id) {
      const found = await configured.findClient(id);
      if (found !== undefined || store === undefined) return found;
      return store.read(async (connection) => {
        const row = await connection
          .selectFrom("oauth_clients")
          .select("record")
          .where("client_id", "=", id)
          .executeTakeFirst();
        return row && readClient(row.record);
      });
    },
    async start(context) {
      if (context.store === undefined)
        throw new EnvironmentError(["OAuth clients of a store are requested, and there is none"]);
      store = context.store;
    },
  };
}

/** Parses a record. Records are validated when they are written. */
function readClient(text: string): OauthClient {
  return JSON.parse(text);
}

/** The OAuth configuration of `gateway.yaml`, with the address of Redis. */
interface GatewayOauthOptions extends OauthServerOptions {
  readonly redis?: Partial<RedisAddress> & { readonly prefix?: string };
}

/**
 * Creates an authorization server. `GW_REDIS_URL`, or otherwise the block, contains the address of Redis. The clients
 * are those of the block unless `clients` is given.
 */
export function gatewayOauth(
  env: Environment,
  options: GatewayOauthOptions,
  clients?: ClientStore,
): OauthServer {
  const { redis = {} } = options;
  const url = env.text("GW_REDIS_URL", redis.url ?? "", redisAddress);
  if (url === "") return oauthServer(options, undefined, clients);
  const { prefix, tls } = redis;
  const address = { url, ...(prefix !== undefined && { prefix }), ...(tls !== undefined && { tls }) };
  return oauthServer(options, redisTokens(address), clients);
}
