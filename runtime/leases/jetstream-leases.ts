// Leases in a NATS JetStream key-value bucket: the server drops a value that was not written for one term.

import { createHash } from "node:crypto";
import { JetStreamApiError } from "@nats-io/jetstream";
import { type KV, type KvEntry, Kvm } from "@nats-io/kv";
import type { LeaseSetting } from "../component/gateway-scope.ts";
import { abort } from "../concurrency/abort.ts";
import { connectNats, disconnectNats, type NatsAddress, natsFailure } from "../connectors/nats/client.ts";
import { isWrongRevision } from "../connectors/nats/kv/bucket.ts";
import { GatewayError } from "../errors.ts";
import { type LeaseOptions, type LeaseStore, leaseSetting } from "./lease-store.ts";

/** `leases` of `gateway.yaml`, with NATS servers. */
export interface JetStreamLeaseOptions extends LeaseOptions {
  readonly jetstream: NatsAddress & { readonly bucket?: string; readonly num_replicas?: number };
}

const defaults = { bucket: "sluice-leases", num_replicas: 1 } as const;

/** Leases in a bucket that is created if it does not exist; the term is the time to live of its values. */
export function jetStreamLeases({ jetstream, ...options }: JetStreamLeaseOptions): LeaseSetting {
  const { bucket, num_replicas: replicas, ...address } = { ...defaults, ...jetstream };
  return leaseSetting(options, async ({ log, term }) => {
    const closing = new AbortController();
    const connection = await connectNats(address, { log, signal: closing.signal });
    try {
      const values = await new Kvm(connection).create(bucket, { ttl: term, history: 1, replicas });
      const { ttl } = await values.status();
      if (ttl !== term) throw otherTerm(bucket);
      return storeIn(values, async () => {
        abort(closing);
        await disconnectNats(connection);
      });
    } catch (error) {
      await connection.close();
      if (error instanceof GatewayError) throw error;
      // Error 10058: the stream of this bucket exists with other settings.
      if (error instanceof JetStreamApiError && error.code === 10058) throw otherTerm(bucket);
      throw natsFailure(error, "The bucket of leases cannot be used");
    }
  });
}

function otherTerm(bucket: string): GatewayError {
  return new GatewayError(502, `The bucket ${bucket} exists with another term; delete it or name another`);
}

function storeIn(values: KV, close: () => Promise<void>): LeaseStore {
  const asking = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw natsFailure(error, "The bucket of leases does not answer");
    }
  };
  return {
    acquire: (name, holder) =>
      asking(async () => {
        const key = keyOf(name);
        const entry = await currentIn(values, key);
        if (entry !== undefined && entry.string() !== holder) return undefined;
        // The revision protects against concurrent holders; it rises with each write, so it is the fencing token, too.
        return entry === undefined
          ? unlessWritten(() => values.create(key, holder))
          : unlessWritten(() => values.update(key, holder, entry.revision));
      }),
    renew: (name, holder) =>
      asking(async () => {
        const key = keyOf(name);
        const entry = await currentIn(values, key);
        if (entry?.string() !== holder) return false;
        return (await unlessWritten(() => values.update(key, holder, entry.revision))) !== undefined;
      }),
    release: (name, holder) =>
      asking(async () => {
        const key = keyOf(name);
        const entry = await currentIn(values, key);
        if (entry?.string() !== holder) return;
        await unlessWritten(() => values.delete(key, { previousSeq: entry.revision }).then(() => 0));
      }),
    close,
  };
}

/** Returns the key of a lease: bucket keys allow fewer characters than names of streams. */
function keyOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}

async function currentIn(values: KV, key: string): Promise<KvEntry | undefined> {
  const entry = await values.get(key);
  return entry === null || entry.operation !== "PUT" ? undefined : entry;
}

/** Resolves with the revision of a write; with `undefined` if another write came first. */
async function unlessWritten(write: () => Promise<number>): Promise<number | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isWrongRevision(error)) return undefined;
    throw error;
  }
}
