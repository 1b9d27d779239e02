import { jetstream } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Cache } from "../../../component/resource.ts";
import { GatewayError } from "../../../errors.ts";
import { connectNats, disconnectNats, natsFailure } from "../client.ts";
import { keyCheck } from "../grammar.ts";
import { findBucket, isWrongRevision } from "./bucket.ts";
import type { NatsKvCacheOptions } from "./generated/nats-kv-cache-options.ts";

/** Stores values in a bucket. The bucket decides how long they are kept. */
export function natsKvCache(options: NatsKvCacheOptions): Cache {
  const check = keyCheck();
  let connection: NatsConnection | undefined;
  let bucket: KV | undefined;

  async function ask<T>(work: (bucket: KV) => Promise<T>): Promise<T> {
    if (bucket === undefined) throw new GatewayError(503, "NATS is not connected");
    try {
      return await work(bucket);
    } catch (error) {
      throw error instanceof GatewayError ? error : natsFailure(error, "The bucket cannot be read");
    }
  }

  return {
    async start(context) {
      const opened = await connectNats(options, context);
      await findBucket(opened, options.bucket);
      connection = opened;
      bucket = await new Kvm(jetstream(opened)).open(options.bucket);
    },
    async get(key) {
      const entry = await ask((kv) => kv.get(check(key)));
      return entry?.operation === "PUT" ? entry.value : undefined;
    },
    async set(key, value) {
      await ask((kv) => kv.put(check(key), value));
    },
    async add(key, value) {
      return ask(async (kv) => {
        try {
          await kv.create(check(key), value);
          return true;
        } catch (error) {
          if (isWrongRevision(error)) return false;
          throw error;
        }
      });
    },
    async delete(key) {
      await ask((kv) => kv.delete(check(key)));
    },
    async close() {
      const closing = connection;
      connection = undefined;
      bucket = undefined;
      if (closing !== undefined) await disconnectNats(closing);
    },
  };
}
