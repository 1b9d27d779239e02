// Leases in Redis: a key that expires by the server's clock.

import type { LeaseSetting } from "../component/gateway-scope.ts";
import { abort } from "../concurrency/abort.ts";
import { createRedisConnection } from "../resources/redis-client.ts";
import { type LeaseOptions, type LeaseStore, leaseSetting } from "./lease-store.ts";

/** `leases` of `gateway.yaml`, with a Redis address. */
export interface RedisLeaseOptions extends LeaseOptions {
  readonly redis: string;
}

// Scripts are atomic: no other client runs between reading and writing.
const acquire = `local holder = redis.call("get", KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
return redis.call("incr", KEYS[2])`;
const renew = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("pexpire", KEYS[1], ARGV[2])`;
const release = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("del", KEYS[1])`;

/** Leases in one Redis server, at the address `redis`. */
export function redisLeases({ redis: url, ...options }: RedisLeaseOptions): LeaseSetting {
  return leaseSetting(options, async ({ log, term }): Promise<LeaseStore> => {
    const connection = createRedisConnection({ url }, { answerTime: Math.min(term / 3, 5_000) });
    const closing = new AbortController();
    await connection.start({ log, signal: closing.signal });
    const run = async (script: string, name: string, holder: string) =>
      Number(
        await connection.ask((redis) =>
          redis.eval(script, 2, `{${name}}:lease`, `{${name}}:fence`, holder, term),
        ),
      );
    return {
      async acquire(name, holder) {
        const fence = await run(acquire, name, holder);
        return fence === 0 ? undefined : fence;
      },
      renew: async (name, holder) => (await run(renew, name, holder)) === 1,
      async release(name, holder) {
        await run(release, name, holder);
      },
      close() {
        abort(closing);
        return connection.close();
      },
    };
  });
}
