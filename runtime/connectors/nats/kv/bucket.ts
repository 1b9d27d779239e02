// A key-value bucket is a stream: its keys are subjects, a value is set by publishing.

import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { GatewayError } from "../../../errors.ts";
import { Timestamp } from "../../../message/value.ts";
import { natsFailure } from "../client.ts";

/** The stream that holds a bucket. */
export function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

/** The subject of a key, or of a pattern of keys. */
export function subjectOf(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`;
}

/** The key of a subject. */
export function keyOf(bucket: string, subject: string): string {
  return subject.slice(subjectOf(bucket, "").length);
}

/** When a value was stored, of the nanoseconds since 1970. */
export function timestampOf(nanoseconds: bigint): Timestamp {
  return new Timestamp(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n), "UTC");
}

/**
 * Rejects with a `GatewayError`, and disconnects, where there is no such bucket: no later call would say so
 * before the first message, or ever. `stream` is what holds it, for buckets of objects.
 */
export async function findBucket(
  connection: NatsConnection,
  bucket: string,
  stream = streamOf(bucket),
): Promise<void> {
  try {
    const manager = await jetstreamManager(connection);
    await manager.streams.info(stream);
  } catch (error) {
    await connection.close();
    const isMissing = error instanceof JetStreamApiError && error.status === 404;
    if (isMissing) throw new GatewayError(502, `The bucket ${bucket} does not exist`, { cause: error });
    throw natsFailure(error, "The NATS server cannot be asked for the bucket");
  }
}

/** Does work of one name after the other, of different names side by side. The work must not reject. */
export function createTurns(): (name: string, work: () => Promise<unknown>) => void {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work).finally(() => {
      if (last.get(name) === mine) last.delete(name);
    });
    last.set(name, mine);
  };
}
