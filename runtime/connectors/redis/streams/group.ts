// What a consumer group is asked, apart from reading it: groups are created, entries acknowledged, kept and taken over.

import type { Redis } from "ioredis";
import type { RedisConnection } from "../../../resources/redis-client.ts";
import { isRefusal } from "../command.ts";
import { entriesOf, type StreamEntry } from "./entries.ts";

/** A member of a group. */
export interface StreamConsumer {
  readonly group: string;
  readonly consumer: string;
}

/** Creates the group of a stream, behind the entry `from`, where it does not exist. */
export async function createGroup(
  connection: RedisConnection,
  stream: string,
  {
    group,
    from,
    createsStreams,
  }: { readonly group: string; readonly from: string; readonly createsStreams: boolean },
): Promise<void> {
  await connection.ask(async (redis) => {
    try {
      if (createsStreams) await redis.xgroup("CREATE", stream, group, from, "MKSTREAM");
      else await redis.xgroup("CREATE", stream, group, from);
    } catch (error) {
      if (!isRefusal(error, "BUSYGROUP")) throw error; // it exists
    }
  });
}

/** The entry that a stream got last; `0` where it has none. */
export async function lastEntry(connection: RedisConnection, stream: string): Promise<string> {
  const [entry] = await connection.ask((redis) => redis.xrevrange(stream, "+", "-", "COUNT", 1));
  return entry?.[0] ?? "0";
}

/** Entries that consumers of the group have not acknowledged for `idle` milliseconds, taken over by this one. */
export async function claim(
  redis: Redis,
  stream: string,
  { group, consumer }: StreamConsumer,
  { idle, count }: { readonly idle: number; readonly count: number },
): Promise<readonly StreamEntry[]> {
  const reply = await redis.callBuffer("XAUTOCLAIM", stream, group, consumer, idle, "0-0", "COUNT", count);
  return Array.isArray(reply) ? entriesOf(stream, reply[1]) : [];
}

/** Starts the idle time of entries anew, so that no other consumer takes them over. */
export async function keep(
  redis: Redis,
  stream: string,
  { group, consumer }: StreamConsumer,
  ids: readonly string[],
): Promise<void> {
  await redis.call("XCLAIM", stream, group, consumer, 0, ...ids, "JUSTID");
}

/** Removes the consumer from the group unless entries are pending for it, which would be lost with it. */
export async function leave(
  redis: Redis,
  stream: string,
  { group, consumer }: StreamConsumer,
): Promise<void> {
  const pending = await redis.xpending(stream, group, "-", "+", 1, consumer);
  if (Array.isArray(pending) && pending.length === 0)
    await redis.xgroup("DELCONSUMER", stream, group, consumer);
}
