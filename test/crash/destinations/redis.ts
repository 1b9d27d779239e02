import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { until } from "../../harness/wait.ts";
import type { Destination } from "../destination.ts";
import { Ledger } from "../ledger.ts";
import { numberOf } from "../source.ts";
import { startCrashedRedis } from "../sources/redis.ts";

const name = "arrivals";
const atOnce = 500;

/** A list to whose end the gateway appends messages. */
export function redisListDestination(): Promise<Destination> {
  return redisDestination({
    outputOf: (url) => ({ redis_list: { url, key: name } }),
    read: (client, from) => client.lrange(name, from, from + atOnce - 1),
    length: (client) => client.llen(name),
  });
}

/** A stream. */
export function redisStreamDestination(): Promise<Destination> {
  let last = "0";
  return redisDestination({
    outputOf: (url) => ({ redis_streams: { url, stream: name } }),
    async read(client) {
      const entries = await client.xrange(name, `(${last}`, "+", "COUNT", atOnce);
      last = entries.at(-1)?.[0] ?? last;
      return entries.map(([, fields]) => fields[fields.indexOf("body") + 1] ?? "");
    },
    length: (client) => client.xlen(name),
  });
}

interface RedisDestination {
  outputOf(url: string): object;
  /** Returns messages after the first `from`, possibly not all of them. */
  read(client: Redis, from: number): Promise<readonly string[]>;
  length(client: Redis): Promise<number>;
}

async function redisDestination({ outputOf, read, length }: RedisDestination): Promise<Destination> {
  const redis = await startCrashedRedis();
  const ledger = new Ledger();
  let isOpen = true;
  let seen = 0;
  const reading = (async () => {
    while (isOpen) {
      const messages = await read(redis.client, seen);
      for (const message of messages) ledger.add(numberOf(message));
      seen += messages.length;
      if (messages.length === 0) await pause(20);
    }
  })();
  return {
    output: outputOf(redis.url),
    ledger,
    async settle() {
      const end = await length(redis.client);
      await until(() => seen >= end, { timeout: 120_000, what: "the destination to be read" });
    },
    proxy: redis.proxy,
    restart: redis.restart,
    async close() {
      isOpen = false;
      await reading;
      await redis.close();
    },
  };
}
