// Key-value buckets. A bucket is a stream: its keys are subjects, and a value is set by publishing to one.

import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { GatewayError } from "../../../errors.ts";
import { Timestamp } from "../../../message/value.ts";
import { natsFailure } from "../client.ts";

/** Returns the stream that stores a bucket. */
export function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

/** Returns the subject of a key, or of a pattern of keys. */
export function subjectOf(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`;
}

/** Returns the key of a subject. */
export function keyOf(bucket: string, subject: string): string {
  return subject.slice(subjectOf(bucket, "").length);
}

/** Returns the time at which a value was stored. `nanoseconds`: since 1970. */
export function timestampOf(nanoseconds: bigint): Timestamp {
  return new Timestamp(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n), "UTC");
}

/**
 * Checks that a bucket exists. Otherwise disconnects and rejects with a `GatewayError`: later calls would report a
 * missing bucket only with the first message, or never. `stream`: the stream that stores it, for object buckets.
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
    throw natsFailure(error, "The NATS server cannot look up the bucket");
  }
}

/** JetStream error codes for a key that is not at the expected revision; the second one is from replicated streams. */
const wrongRevision: ReadonlySet<number> = new Set([10071, 10164]);

/** Returns whether a value was not written because another client was faster. */
export function isWrongRevision(error: unknown): boolean {
  return error instanceof JetStreamApiError && wrongRevision.has(error.code);
}

/**
 * Returns a function that runs work of the same name in sequence, and of different names in parallel.
 * The work must not reject.
 */
export function createTurns(): (name: string, work: () => Promise<unknown>) => void {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work).finally(() => {
      if (last.get(name) === mine) last.delete(name);
    });
    last.set(name, mine);
  };
}
