// Stores tokens in Redis, shared by all gateways and workers that use it. They outlive the processes.

import { GatewayError } from "../errors.ts";
import { createRedisConnection, type RedisAddress, type RedisConnection } from "../resources/redis-client.ts";
import type { Grant, Issued, KeptToken, TokenStore } from "./tokens.ts";

/** The address of Redis and the prefix of all the gateway's keys. */
export interface RedisTokensOptions extends RedisAddress {
  readonly prefix?: string;
}

/**
 * Returns the names of the Redis keys: tokens by hash, hashes by family, and hashes of access tokens by client, sorted
 * by expiry. Every key expires. The braces keep all keys in the same cluster slot, so that a script can access them.
 */
function createNames(prefix: string) {
  const all = `${prefix}{oauth}:`;
  return {
    all,
    access: (hash: string) => `${all}access:${hash}`,
    refresh: (hash: string) => `${all}refresh:${hash}`,
    spent: (hash: string) => `${all}spent:${hash}`,
    family: (family: string) => `${all}family:${family}`,
    client: (client: string) => `${all}client:${client}`,
    /** The counter of revocations. */
    revocations: `${all}revocations`,
  };
}

/** Milliseconds that the counter is kept after the last revocation. Gateways read it many times within that time. */
const countedFor = 86_400_000;

/** Keys: client, access, family, refresh. Arguments: now, maximum, then the expiry and the text of both tokens. */
const issueScript = `
local now, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local function keepUntil(key, at)
  local left = redis.call("PTTL", key)
  if left < 0 or now + left < tonumber(at) then redis.call("PEXPIREAT", key, at) end
end
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
if most >= 0 and redis.call("ZCARD", KEYS[1]) >= most then return 0 end
redis.call("SET", KEYS[2], ARGV[4], "PXAT", ARGV[3])
redis.call("ZADD", KEYS[1], ARGV[3], KEYS[2])
keepUntil(KEYS[1], ARGV[3])
redis.call("SADD", KEYS[3], KEYS[2])
keepUntil(KEYS[3], ARGV[3])
if ARGV[5] ~= "" then
  redis.call("SET", KEYS[4], ARGV[6], "PXAT", ARGV[5])
  redis.call("SADD", KEYS[3], KEYS[4])
  keepUntil(KEYS[3], ARGV[5])
end
return 1`;

/** Keys: refresh, spent. Returns the grant, and whether the token was spent before. */
const takeScript = `
local text = redis.call("GET", KEYS[1])
if text then
  redis.call("SET", KEYS[2], text, "PX", math.max(1, redis.call("PTTL", KEYS[1])))
  redis.call("DEL", KEYS[1])
  return {text, 0}
end
text = redis.call("GET", KEYS[2])
if text then return {text, 1} end
return false`;

/**
 * Keys: family, client, revocations. Arguments: the prefix of the keys to revoke, the milliseconds to keep the counter.
 */
const revokeScript = `
for _, key in ipairs(redis.call("SMEMBERS", KEYS[1])) do
  if string.sub(key, 1, #ARGV[1]) == ARGV[1] then
    redis.call("DEL", key)
    redis.call("ZREM", KEYS[2], key)
    redis.call("SREM", KEYS[1], key)
  end
end
redis.call("INCR", KEYS[3])
redis.call("PEXPIRE", KEYS[3], ARGV[2])`;

/** Creates a token store in Redis. Its methods reject with a `GatewayError` (503) if Redis fails. */
export function redisTokens({ prefix = "sluice:", ...address }: RedisTokensOptions): TokenStore {
  const names = createNames(prefix);
  const connection = createRedisConnection(address);

  const ask: RedisConnection["ask"] = (command) =>
    connection.ask(command).catch((cause: unknown) => {
      throw new GatewayError(503, "Credentials cannot be checked now", { cause, retryAfter: 1 });
    });

  async function find(key: string): Promise<Grant | undefined> {
    const text = await ask((redis) => redis.get(key));
    return text === null ? undefined : readGrant(text);
  }

  const listeners = new Set<() => void>();

  function notifyRevoked(): void {
    for (const listener of listeners) listener();
  }

  async function revoke(
    { client, family }: Pick<Grant, "client" | "family">,
    beginning: string,
  ): Promise<void> {
    const keys = [names.family(family), names.client(client), names.revocations] as const;
    await ask((redis) => redis.eval(revokeScript, 3, ...keys, beginning, countedFor));
    notifyRevoked();
  }

  async function issue(
    access: KeptToken,
    refresh: KeptToken | undefined,
    most: number | undefined,
  ): Promise<Issued> {
    const { client, family } = access.grant;
    const keys = [
      names.client(client),
      names.access(access.hash),
      names.family(family),
      names.refresh(refresh?.hash ?? access.hash),
    ] as const;
    const values = [
      Date.now(),
      most ?? -1,
      access.grant.expires,
      JSON.stringify(access.grant),
      refresh?.grant.expires ?? "",
      refresh === undefined ? "" : JSON.stringify(refresh.grant),
    ] as const;
    const kept = await ask((redis) => redis.eval(issueScript, 4, ...keys, ...values));
    return kept === 1 ? "kept" : "limit";
  }

  return {
    issue,
    async keepCode({ hash, grant }) {
      const [key, family] = [names.refresh(hash), names.family(grant.family)];
      await ask((redis) =>
        redis
          .multi()
          .set(key, JSON.stringify(grant), "PXAT", grant.expires)
          .sadd(family, key)
          .pexpireat(family, grant.expires)
          .exec(),
      );
      return "kept";
    },
    start: (context) => connection.start(context),
    findAccess: (hash) => find(names.access(hash)),
    findRefresh: (hash) => find(names.refresh(hash)),
    async takeRefresh(hash) {
      const keys = [names.refresh(hash), names.spent(hash)] as const;
      const found = await ask((redis) => redis.eval(takeScript, 2, ...keys));
      if (!Array.isArray(found)) return undefined;
      const [text, spent] = found;
      const grant = readGrant(text);
      if (spent === 0) await revoke(grant, names.access(""));
      return { grant, wasSpent: spent !== 0 };
    },
    async revokeAccess(hash) {
      const grant = await find(names.access(hash));
      if (grant === undefined) return;
      const key = names.access(hash);
      await ask((redis) =>
        redis
          .multi()
          .del(key)
          .zrem(names.client(grant.client), key)
          .srem(names.family(grant.family), key)
          .incr(names.revocations)
          .pexpire(names.revocations, countedFor)
          .exec(),
      );
      notifyRevoked();
    },
    async revokeFamily(client, family) {
      await revoke({ client, family }, names.all);
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    countRevocations: async () => Number((await ask((redis) => redis.get(names.revocations))) ?? 0),
    close: () => connection.close(),
  };
}

/** Parses a grant that this store wrote. Throws a `GatewayError` (502) for other data, which grants nothing. */
function readGrant(text: unknown): Grant {
  const grant = parseJson(String(text));
  if (!isGrant(grant)) throw new GatewayError(502, "A token in Redis cannot be read");
  return grant;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a valid grant
  }
}

function isGrant(value: unknown): value is Grant {
  if (typeof value !== "object" || value === null) return false;
  const { client, scopes, family, issued, expires }: Partial<Record<keyof Grant, unknown>> = value;
  return (
    typeof client === "string" &&
    typeof family === "string" &&
    typeof issued === "number" &&
    typeof expires === "number" &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === "string")
  );
}
