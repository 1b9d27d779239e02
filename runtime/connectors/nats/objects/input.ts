import type { ObjectWatchInfo } from "@nats-io/obj";
import type { QueuedIterator } from "@nats-io/transport-node";
import type { Input, InputContext } from "../../../component/component.ts";
import { createRedelivery } from "../../../component/redelivery.ts";
import { createBackoff, pause } from "../../../concurrency/backoff.ts";
import { sourceFrom } from "../../../conditions/blockage.ts";
import { GatewayError } from "../../../errors.ts";
import { Message } from "../../../message/message.ts";
import type { Value } from "../../../message/value.ts";
import { disconnectNats, natsFailure } from "../client.ts";
import { type NatsObjectStoreInputOptions, natsObjectStoreInputDefaults } from "./generated/input-options.ts";
import { type OpenStore, openStore, readObject } from "./store.ts";

/** Pauses between attempts at an object that cannot be read. */
const pauses = { first: 200, longest: 30_000 };

const sourceOf = /* @__PURE__ */ sourceFrom({
  bucket: "nats_object_store_bucket",
  name: "nats_object_store_name",
});

/**
 * Watches a bucket: the objects there are, then each that is stored. They are delivered one after the other; how far that went is
 * not kept, so that each start begins with the objects there are.
 */
export function natsObjectStoreInput(options: NatsObjectStoreInputOptions): Input {
  const { auto_replay_nacks } = { ...natsObjectStoreInputDefaults, ...options };
  const closing = new AbortController();
  let opened: OpenStore | undefined;
  let watch: QueuedIterator<ObjectWatchInfo> | undefined;
  let running: Promise<void> | undefined;

  async function read(infos: QueuedIterator<ObjectWatchInfo>, { store }: OpenStore, context: InputContext) {
    const redelivery = createRedelivery(context, sourceOf);
    for await (const info of infos) {
      if (closing.signal.aborted) return;
      // Of an object that was deleted or replaced meanwhile, there is another entry.
      const content = info.deleted ? undefined : await contentOf(info, store, context);
      if (content === undefined || closing.signal.aborted) continue;
      await redelivery.deliver([Message.fromBytes(content, metadataOf(info))], closing.signal);
    }
  }

  async function contentOf(
    { name }: ObjectWatchInfo,
    store: OpenStore["store"],
    context: InputContext,
  ): Promise<Uint8Array | undefined> {
    const backoff = createBackoff(pauses);
    for (; !closing.signal.aborted; await pause(backoff.next(), closing.signal)) {
      try {
        return await readObject(store, name);
      } catch (error) {
        context.log.warn("an object cannot be read", { error });
        if (error instanceof GatewayError && !error.retryable) return undefined;
      }
    }
    return undefined;
  }

  /** Begins again where the watch ends, with the objects there are. */
  async function run(first: QueuedIterator<ObjectWatchInfo>, store: OpenStore, context: InputContext) {
    const backoff = createBackoff(pauses);
    for (let infos = first; ; ) {
      try {
        await read(infos, store, context);
      } catch (error) {
        if (!closing.signal.aborted) context.log.warn("the bucket cannot be watched", { error });
      }
      if (closing.signal.aborted) return;
      const endOutage = context.beginOutage?.("the bucket is not watched any more");
      await pause(backoff.next(), closing.signal);
      if (closing.signal.aborted) return endOutage?.();
      try {
        infos = await beginWatch(store);
        watch = infos;
      } catch (error) {
        context.log.warn("the bucket cannot be watched", { error });
      }
      endOutage?.();
    }
  }

  return {
    async start(given) {
      const context: InputContext = auto_replay_nacks ? given : { ...given, maxAttempts: 1 };
      opened = await openStore(options, context);
      try {
        watch = await beginWatch(opened);
      } catch (error) {
        await opened.connection.close();
        throw error;
      }
      running = run(watch, opened, context);
    },
    async close() {
      closing.abort();
      watch?.stop();
      await running;
      if (opened !== undefined && !opened.connection.isClosed()) await disconnectNats(opened.connection);
    },
  };
}

async function beginWatch({ store }: OpenStore): Promise<QueuedIterator<ObjectWatchInfo>> {
  try {
    // The last entry of each object, then new ones.
    return await store.watch({ includeHistory: true });
  } catch (error) {
    throw natsFailure(error, "The bucket cannot be watched");
  }
}

function metadataOf(info: ObjectWatchInfo): ReadonlyMap<string, Value> {
  const headers = [...(info.headers ?? [])].map(([name, values]) => [name, values] as const);
  return new Map<string, Value>([
    ["nats_object_store_name", info.name],
    ["nats_object_store_description", info.description ?? ""],
    ["nats_object_store_headers", Object.fromEntries(headers)],
    ["nats_object_store_metadata", { ...info.metadata }],
    ["nats_object_store_bucket", info.bucket],
    ["nats_object_store_nuid", info.nuid],
    ["nats_object_store_size", info.size],
    ["nats_object_store_modtime", info.mtime],
    ["nats_object_store_chunks", info.chunks],
    ["nats_object_store_digest", info.digest],
    ["nats_object_store_deleted", info.deleted],
  ]);
}
