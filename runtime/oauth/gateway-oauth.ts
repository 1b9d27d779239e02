// Where the tokens of a gateway are: in Redis where it has one, else in the memory of its process.

import { redisAddress } from "../generated/formats.ts";
import type { Environment } from "../process/environment.ts";
import type { RedisAddress } from "../resources/redis-client.ts";
import type { ClientStore } from "./clients.ts";
import { type OauthServer, type OauthServerOptions, oauthServer } from "./oauth-server.ts";
import { redisTokens } from "./redis-tokens.ts";

/** What `gateway.yaml` says of clients and of Redis. */
export interface GatewayOauthOptions extends OauthServerOptions {
  readonly redis?: Partial<RedisAddress> & { readonly prefix?: string };
}

/** `GW_REDIS_URL`, or else the block, says where Redis is. Clients are those of the block unless `clients` says more. */
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
