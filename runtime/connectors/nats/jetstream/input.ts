import type { Msg } from "@nats-io/transport-node";
import type { ComponentContext, Input, InputContext, ReplayInput } from "../../../component/component.ts";
import { deliverEach } from "../../../component/deliver-each.ts";
import { redeliveryDelays } from "../../../component/given-back.ts";
import { giveUp } from "../../../component/redelivery.ts";
import { backoffDelay } from "../../../concurrency/backoff.ts";
import { blockageOf } from "../../../conditions/blockage.ts";
import { GatewayError, toGatewayError } from "../../../errors.ts";
import type { Batch, Message } from "../../../message/message.ts";
import type { Positions } from "../../../message/positions.ts";
import { connectNats, disconnectNats } from "../client.ts";
import { messageFrom, type OwnMetadata, subjectSequence } from "../headers.ts";
import { type ConsumerPlan, manageJetStream, openConsumer } from "./consumer.ts";
import { type DeliverArrived, type Settlement, sourceOf } from "./deliveries.ts";
import { type NatsJetstreamInputOptions, natsJetstreamInputDefaults } from "./generated/input-options.ts";
import type { DeliveryPosition } from "./position.ts";
import { JetStreamReading, readingInput } from "./reading.ts";

/**
 * Reads a JetStream stream. A message is acknowledged once its delivery is confirmed. If the delivery fails, the
 * message is requested again after a growing pause, and goes to whichever reader of the consumer is first.
 */
export function natsJetstreamInput(options: NatsJetstreamInputOptions): Input {
  const settings = { ...natsJetstreamInputDefaults, ...options };
  const reader = createReader(settings, () => planOf(settings));
  return {
    ...reader.input,
    sequenceOf: subjectSequence,
    ...(makesDurable(settings) && { prepare: (context) => prepare(settings, context) }),
    positions: { undelivered: reader.undelivered, from: (at) => readAgain(settings, at) },
  };
}

/** Returns whether the input creates a durable consumer, which the server keeps. */
function makesDurable({ durable, queue, bind }: NatsJetstreamInputSettings): boolean {
  return !bind && (durable ?? queue) !== undefined;
}

/** Creates the durable consumer: from then on the server keeps its messages, even without a reader. */
async function prepare(settings: NatsJetstreamInputSettings, context: ComponentContext): Promise<void> {
  const connection = await connectNats(settings, context);
  try {
    await openConsumer(await manageJetStream(connection), planOf(settings));
  } finally {
    await disconnectNats(connection);
  }
}

/**
 * Returns an input that reads from a sequence on with an ephemeral consumer of its own. That consumer gets the same
 * messages as the input's consumer. Positions come from clients, so they never decide what is read, only from where.
 */
function readAgain(settings: NatsJetstreamInputSettings, positions: Positions): ReplayInput {
  const plan = () => {
    const { durable, bind: _bound, ...rest } = planOf(settings);
    const filteredAs = rest.subject === undefined ? durable : undefined;
    return { ...rest, bind: false, ...(filteredAs !== undefined && { filteredAs }) };
  };
  const reader = createReader(settings, plan, positions);
  return {
    ...reader.input,
    sequenceOf: subjectSequence,
    undelivered: reader.undelivered,
    ends: async () => {
      const sequence = await reader.reading()?.end();
      const at = reader.reading()?.undelivered();
      return positionsOf(at && { stream: at.stream, sequence: sequence ?? 0 });
    },
  };
}

type IsHanded = NonNullable<Parameters<JetStreamReading["undelivered"]>[0]>;

function createReader(settings: NatsJetstreamInputSettings, plan: () => ConsumerPlan, from?: Positions) {
  let reading: JetStreamReading | undefined;
  const input = readingInput(async (context) => {
    reading = await openReading(plan(), settings, context, from);
    return reading;
  });
  return {
    input: { ...input, lag: () => reading?.lag() } satisfies Input,
    reading: () => reading,
    undelivered: (isHanded?: IsHanded) => {
      const at = reading?.undelivered(isHanded);
      return at && positionsOf(at);
    },
  };
}

/** Returns positions: the name of the stream is the part, the sequence of a message its offset. */
function positionsOf(at: ReturnType<JetStreamReading["undelivered"]>): Positions {
  return new Map(at === undefined ? [] : [[at.stream, BigInt(at.sequence)]]);
}

/** The options with all defaults applied. */
export type NatsJetstreamInputSettings = NatsJetstreamInputOptions &
  Required<Pick<NatsJetstreamInputOptions, keyof typeof natsJetstreamInputDefaults>>;

async function openReading(
  plan: ConsumerPlan,
  settings: NatsJetstreamInputSettings,
  context: InputContext,
  from?: Positions,
): Promise<JetStreamReading> {
  const connection = await connectNats(settings, context);
  return new JetStreamReading(connection, context, plan, createDelivery(context), from);
}

/**
 * Returns a function that delivers messages. A refused message is requested again until the stream's `max_attempts` in
 * this process are used up.
 */
function createDelivery(context: InputContext): DeliverArrived {
  return (arrived, settle) => {
    const messages = arrived.map(({ message, position }) => messageOf(message, position));
    deliverEach(context.deliver, messages, {
      confirm: (index) => settle(index, "done"),
      fail(index, error) {
        const failure = toGatewayError(error, 500, "Internal error");
        const batch = messages.slice(index, index + 1);
        void refuse(context, batch, arrived[index]?.attempts ?? 1, failure).then((settlement) =>
          settle(index, settlement),
        );
      },
    });
  };
}

async function refuse(
  context: InputContext,
  batch: Batch,
  attempts: number,
  failure: GatewayError,
): Promise<Settlement> {
  const isLast = attempts >= (context.maxAttempts || Number.POSITIVE_INFINITY);
  if (isLast && attempts === 1) context.reportRefused?.(blockageOf(batch, failure, sourceOf));
  if (isLast && (await giveUp(context, batch, failure))) return "done";
  context.countRetry?.(batch.length);
  return {
    again: context.signal.aborted ? 0 : Math.ceil(backoffDelay(attempts - 1, redeliveryDelays)),
    refused: { batch, failure },
  };
}

/**
 * Returns the consumer that the options describe; throws a `GatewayError` if they contradict each other. The checker
 * reports the same for documents whose fields do not come from the environment.
 */
export function planOf({
  stream,
  subject,
  durable,
  queue,
  bind,
  deliver,
  ack_wait,
  max_ack_pending,
}: NatsJetstreamInputSettings): ConsumerPlan {
  const name = durable ?? queue;
  if (bind && (stream === undefined || durable === undefined)) {
    throw new GatewayError(500, "nats_jetstream: `bind` takes `stream` and `durable`");
  }
  if (stream === undefined && subject === undefined) {
    throw new GatewayError(500, "nats_jetstream takes `stream` or `subject`, or both");
  }
  return {
    ...(stream !== undefined && { stream }),
    ...(subject !== undefined && { subject }),
    ...(name !== undefined && { durable: name }),
    bind,
    deliver,
    ackWait: ack_wait,
    maxAckPending: max_ack_pending,
  };
}

/** Converts a message. Headers become metadata; `nats_*` names override them. */
function messageOf(message: Msg, position: DeliveryPosition): Message {
  const own = (): OwnMetadata => [
    ["nats_subject", message.subject],
    ["nats_sequence_stream", String(position.streamSequence)],
    ["nats_sequence_consumer", position.consumerSequence],
    ["nats_num_delivered", position.delivered],
    ["nats_num_pending", String(position.pending)],
    ...(position.domain === "" ? [] : [["nats_domain", position.domain] as const]),
    ["nats_timestamp_unix_nano", position.timestampNanos],
  ];
  return messageFrom(message, own, { part: position.stream, offset: BigInt(position.streamSequence) });
}
