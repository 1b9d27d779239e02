import { Cluster, type Redis } from "ioredis";
import type { Input, InputContext } from "../../../component/component.ts";
import { createRedelivery, withReplay } from "../../../component/redelivery.ts";
import { abort } from "../../../concurrency/abort.ts";
import { createBackoff, pause } from "../../../concurrency/backoff.ts";
import { GatewayError } from "../../../errors.ts";
import { Message } from "../../../message/message.ts";
import { createRedisConnection } from "../../../resources/redis-client.ts";
import { decodeUtf8 } from "../../../text/utf8.ts";
import { type RedisScanInputOptions, redisScanInputDefaults } from "./generated/input-options.ts";

const retryPauses = { first: 200, longest: 5_000 };

/**
 * Reads the strings of a database, each once the previous one is delivered. Redis may return a key twice, and may or
 * may not return a key that was added or removed meanwhile. A new connection continues where the lost one was.
 */
export function redisScanInput(options: RedisScanInputOptions): Input {
  const { auto_replay_nacks, match } = { ...redisScanInputDefaults, ...options };
  const connection = createRedisConnection(options);
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  /** Returns the reply to a command, which is retried until there is one. Rejects once the input closes. */
  async function persist<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const backoff = createBackoff(retryPauses);
    for (;;) {
      closing.signal.throwIfAborted();
      try {
        return await connection.ask(command);
      } catch (error) {
        if (error instanceof GatewayError && !error.retryable) throw error;
        await pause(backoff.next(), closing.signal);
      }
    }
  }

  /** Returns the keys of every node that holds keys. */
  async function* keys(): AsyncGenerator<Buffer> {
    const count = await persist(async (redis) => nodesOf(redis).length);
    for (let node = 0; node < count; node++) {
      let cursor = "0";
      do {
        const [next, found] = await persist((redis) => scan(nodesOf(redis)[node] ?? redis, cursor, match));
        yield* found;
        cursor = next;
      } while (cursor !== "0");
    }
  }

  async function read(context: InputContext): Promise<void> {
    const redelivery = createRedelivery(withReplay(context, auto_replay_nacks));
    for await (const key of keys()) {
      const value = await persist((redis) => stringAt(redis, key));
      if (value === null) continue;
      const message = Message.fromBytes(new Uint8Array(), new Map()).withDocument({
        key: decodeUtf8(key),
        value: decodeUtf8(value),
      });
      const delivered = await redelivery.deliverNext([message], closing.signal);
      if (delivered === undefined) return;
    }
    await redelivery.settled();
    context.reportEnd?.();
  }

  return {
    async start(context) {
      await connection.start(context);
      running = read(context).catch((error: unknown) => {
        if (closing.signal.aborted) return;
        context.log.error("the keys cannot be read", { error });
        context.beginOutage?.("the keys cannot be read");
      });
    },
    async close() {
      abort(closing);
      await running;
      await connection.close();
    },
  };
}

/** Returns the servers that hold keys: the masters of a cluster, or the only server. */
function nodesOf(redis: Redis): readonly Redis[] {
  const client: unknown = redis;
  return client instanceof Cluster ? client.nodes("master") : [redis];
}

/** Returns keys from a cursor on, and the cursor of the next ones. */
function scan(redis: Redis, cursor: string, match: string): Promise<[next: string, keys: Buffer[]]> {
  const reply =
    match === ""
      ? redis.scanBuffer(cursor, "COUNT", 100)
      : redis.scanBuffer(cursor, "MATCH", match, "COUNT", 100);
  return reply.then(([next, keys]) => [String(next), keys]);
}

/** Returns the string under a key; null if the key is gone or holds another type. */
async function stringAt(redis: Redis, key: Buffer): Promise<Buffer | null> {
  try {
    return await redis.getBuffer(key);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("WRONGTYPE")) return null;
    throw error;
  }
}
