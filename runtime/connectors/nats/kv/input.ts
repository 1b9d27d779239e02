import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import type { Delivered, Input, InputContext } from "../../../component/component.ts";
import { createRedelivery, withReplay } from "../../../component/redelivery.ts";
import { sourceFrom } from "../../../conditions/blockage.ts";
import { Message } from "../../../message/message.ts";
import type { Value } from "../../../message/value.ts";
import { connectNats } from "../client.ts";
import { readHeaders } from "../headers.ts";
import { eachAlone } from "../jetstream/deliveries.ts";
import type { DeliveryPosition } from "../jetstream/position.ts";
import { JetStreamReading, readingInput } from "../jetstream/reading.ts";
import { createTurns, findBucket, keyOf, streamOf, subjectOf, timestampOf } from "./bucket.ts";
import { type NatsKvInputOptions, natsKvInputDefaults } from "./generated/input-options.ts";

/** Largest number of values in progress. */
const inFlightLimit = 1024;

/** Milliseconds after which the server redelivers an unacknowledged value. */
const ackWait = 30_000;

/**
 * Watches keys of a bucket: delivers the current values, then each change. Values of one key are delivered, or
 * collected, one after the other in order, so that the last one is the newest. Failed deliveries are retried here.
 */
export function natsKvInput(options: NatsKvInputOptions): Input {
  const settings = { ...natsKvInputDefaults, ...options };
  return readingInput((context, closing) => openReading(settings, context, closing));
}

type Settings = NatsKvInputOptions & Required<Pick<NatsKvInputOptions, keyof typeof natsKvInputDefaults>>;

const sourceOf = /* @__PURE__ */ sourceFrom({
  bucket: "nats_kv_bucket",
  key: "nats_kv_key",
  revision: "nats_kv_revision",
});

async function openReading(
  settings: Settings,
  context: InputContext,
  closing: AbortSignal,
): Promise<JetStreamReading> {
  const { bucket, key, auto_replay_nacks, include_history, ignore_deletes, meta_only } = settings;
  const redelivery = createRedelivery(withReplay(context, auto_replay_nacks), sourceOf);
  const byKey = createTurns();
  const plan = {
    stream: streamOf(bucket),
    subject: subjectOf(bucket, key),
    bind: false,
    deliver: include_history ? "all" : "last_per_subject",
    ackWait,
    maxAckPending: inFlightLimit,
    headersOnly: meta_only,
  } as const;
  const connection = await connectNats(settings, context);
  await findBucket(connection, bucket);
  const deliver = eachAlone(async (message, position) => {
    if (ignore_deletes && operationOf(readHeaders(message).headers) !== "KeyValuePutOp") return "done";
    const batch = [messageOf(bucket, message, position)];
    const { promise: outcome, resolve } = Promise.withResolvers<Delivered | undefined>();
    byKey(message.subject, () => redelivery.deliverNext(batch, closing, resolve));
    return (await outcome) === undefined ? { again: 0 } : "done";
  });
  return new JetStreamReading(connection, context, plan, deliver);
}

function messageOf(bucket: string, message: Msg, position: DeliveryPosition): Message {
  const { headers, failure } = readHeaders(message);
  const metadata = new Map<string, Value>([
    ["nats_kv_key", keyOf(bucket, message.subject)],
    ["nats_kv_bucket", bucket],
    ["nats_kv_revision", position.streamSequence],
    ["nats_kv_delta", position.pending],
    ["nats_kv_operation", operationOf(headers)],
    ["nats_kv_created", timestampOf(BigInt(position.timestampNanos))],
  ]);
  const made = Message.fromBytes(message.data, metadata);
  return failure === undefined ? made : made.withFailure(failure);
}

/** Returns the operation on the key, with the names of the reference engine. */
function operationOf(headers: MsgHdrs | undefined): "KeyValuePutOp" | "KeyValueDeleteOp" | "KeyValuePurgeOp" {
  const operation = headers?.get("KV-Operation");
  if (operation === "DEL") return "KeyValueDeleteOp";
  return operation === "PURGE" ? "KeyValuePurgeOp" : "KeyValuePutOp";
}
