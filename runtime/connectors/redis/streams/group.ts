// Commands of consumer groups other than reading: creates groups, and acknowledges, keeps and claims entries.

import type { Redis } from "ioredis";
import type { RedisConnection } from "../../../resources/redis-client.ts";
import { isRefusal } from "../command.ts";
import { entriesOf, type StreamEntry } from "./entries.ts";

/** A member of a group. */
export interface StreamConsumer {
  readonly group: string;
  readonly consumer: string;
}

/** Creates the group of a stream, to read after the entry `from`, if the group does not exist. */
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
      if (!isRefusal(error, "BUSYGROUP")) throw error; // the group already exists
    }
  });
}

/** Returns the id of the newest entry of a stream; `0` if the stream is empty. */
export async function lastEntry(connection: RedisConnection, stream: string): Promise<string> {
  const [entry] = await connection.ask((redis) => redis.xrevrange(stream, "+", "-", "COUNT", 1));
  return entry?.[0] ?? "0";
}

/** Claims entries that consumers of the group have not acknowledged for `idle` milliseconds, and returns them. */
export async function claim(
  redis: Redis,
  stream: string,
  { group, consumer }: StreamConsumer,
  { idle, count }: { readonly idle: number; readonly count: number },
): Promise<readonly StreamEntry[]> {
  const reply = await redis.callBuffer("XAUTOCLAIM", stream, group, consumer, idle, "0-0", "COUNT", count);
  return Array.isArray(reply) ? entriesOf(stream, reply[1]) : [];
}

/** Resets the idle time of entries, so that no other consumer claims them. */
export async function keep(
  redis: Redis,
  stream: string,
  { group, consumer }: StreamConsumer,
  ids: readonly string[],
): Promise<void> {
  await redis.call("XCLAIM", stream, group, consumer, 0, ...ids, "JUSTID");
}

/** Removes the consumer from the group, unless it has pending entries, which would be lost. */
export async function leave(
  redis: Redis,
  stream: string,
  { group, consumer }: StreamConsumer,
): Promise<void> {
  const pending = await redis.xpending(stream, group, "-", "+", 1, consumer);
  if (Array.isArray(pending) && pending.length === 0)
    await redis.xgroup("DELCONSUMER", stream, group, consumer);
}
