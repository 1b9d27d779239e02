import type { Msg } from "@nats-io/transport-node";
import type { Input, InputContext } from "../../../component/component.ts";
import { createRedelivery, withReplay } from "../../../component/redelivery.ts";
import { createBackoff, pause } from "../../../concurrency/backoff.ts";
import { sourceFrom } from "../../../conditions/blockage.ts";
import { GatewayError } from "../../../errors.ts";
import { parseJsonText } from "../../../message/json.ts";
import { Message } from "../../../message/message.ts";
import { isObject, type ObjectValue, type Value } from "../../../message/value.ts";
import { decodeUtf8 } from "../../../text/utf8.ts";
import { eachAlone, type Settlement } from "../jetstream/deliveries.ts";
import type { DeliveryPosition } from "../jetstream/position.ts";
import { JetStreamReading, readingInput } from "../jetstream/reading.ts";
import { createTurns, timestampOf } from "../kv/bucket.ts";
import { type NatsObjectStoreInputOptions, natsObjectStoreInputDefaults } from "./generated/input-options.ts";
import { entriesOf, openStore, readObject, streamOf } from "./store.ts";

/** Pauses between attempts to read an object. */
const pauses = { first: 200, longest: 30_000 };

/** Milliseconds after which the server redelivers an unacknowledged entry. */
const ackWait = 30_000;

/**
 * Largest number of entries held. They are small; nats-server 2.9 loses undelivered entries when an object is stored.
 */
const entriesLimit = 1024;

const sourceOf = /* @__PURE__ */ sourceFrom({
  bucket: "nats_object_store_bucket",
  name: "nats_object_store_name",
});

/**
 * Watches a bucket: delivers the existing objects, then each object that is stored. Reads the next object once the
 * previous one is delivered, or held until more arrive. The position is not stored, so each start begins with the
 * existing objects.
 */
export function natsObjectStoreInput(options: NatsObjectStoreInputOptions): Input {
  const settings = { ...natsObjectStoreInputDefaults, ...options };
  return readingInput((context, closing) => openReading(settings, context, closing));
}

/**
 * Opens the bucket and reads its entries, which are messages of its stream.
 * The last entry of each object describes it.
 */
async function openReading(
  options: NatsObjectStoreInputOptions & Required<Pick<NatsObjectStoreInputOptions, "auto_replay_nacks">>,
  context: InputContext,
  closing: AbortSignal,
): Promise<JetStreamReading> {
  const { bucket, auto_replay_nacks } = options;
  const { connection, store } = await openStore(options, context);
  const redelivery = createRedelivery(withReplay(context, auto_replay_nacks), sourceOf);
  const plan = {
    stream: streamOf(bucket),
    subject: entriesOf(bucket),
    bind: false,
    deliver: "last_per_subject",
    ackWait,
    maxAckPending: entriesLimit,
  } as const;
  const inTurn = createTurns();
  /** The sequence of the latest entry of each object that still waits for its turn. */
  const latest = new Map<string, number>();

  async function contentOf(name: string): Promise<Uint8Array | undefined> {
    const backoff = createBackoff(pauses);
    for (; !closing.aborted; await pause(backoff.next(), closing)) {
      try {
        return await readObject(store, name);
      } catch (error) {
        context.log.warn("an object cannot be read", { error });
        if (error instanceof GatewayError && !error.retryable) return undefined;
      }
    }
    return undefined;
  }

  /** Delivers the object of an entry, and passes the outcome to `settle`. */
  async function take(
    message: Msg,
    position: DeliveryPosition,
    settle: (settlement: Settlement | Promise<Settlement>) => void,
  ): Promise<void> {
    const info = entryOf(message.data);
    const isLatest = latest.get(message.subject) === position.streamSequence;
    if (isLatest) latest.delete(message.subject);
    // If the object was deleted or replaced meanwhile, a later entry handles that.
    const isThere = info !== undefined && info.deleted !== true && isLatest;
    const content = isThere ? await contentOf(String(info.name)) : undefined;
    if (closing.aborted) settle({ again: 0 });
    else if (info === undefined || content === undefined) settle("done");
    else
      await redelivery.deliverNext(
        [Message.fromBytes(content, metadataOf(info, position))],
        closing,
        (outcome) => settle(outcome.then((delivered) => (delivered === undefined ? { again: 0 } : "done"))),
      );
  }

  const deliver = eachAlone((message, position) => {
    latest.set(message.subject, position.streamSequence);
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    inTurn(bucket, () => take(message, position, resolve));
    return promise;
  });
  return new JetStreamReading(connection, context, plan, deliver);
}

/** Parses the entry of an object; returns `undefined` if no client wrote it. */
function entryOf(content: Uint8Array): ObjectValue | undefined {
  const parsed = parseJsonText(decodeUtf8(content));
  return "value" in parsed && isObject(parsed.value) ? parsed.value : undefined;
}

function metadataOf(info: ObjectValue, position: DeliveryPosition): ReadonlyMap<string, Value> {
  return new Map<string, Value>([
    ["nats_object_store_name", info.name ?? ""],
    ["nats_object_store_description", info.description ?? ""],
    ["nats_object_store_headers", info.headers ?? {}],
    ["nats_object_store_metadata", info.metadata ?? {}],
    ["nats_object_store_bucket", info.bucket ?? ""],
    ["nats_object_store_nuid", info.nuid ?? ""],
    ["nats_object_store_size", info.size ?? 0],
    // Clients leave the modification time to the server.
    ["nats_object_store_modtime", timestampOf(BigInt(position.timestampNanos))],
    ["nats_object_store_chunks", info.chunks ?? 0],
    ["nats_object_store_digest", info.digest ?? ""],
    ["nats_object_store_deleted", info.deleted === true],
  ]);
}
