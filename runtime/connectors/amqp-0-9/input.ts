import type { Channel, ConsumeMessage } from "amqplib";
import type { Input, InputContext } from "../../component/component.ts";
import { type Answers, deliverArrivals, GivenBack, messageKey } from "../../component/given-back.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import { createRedeliveryOfEach } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { type SourceOf, sourceFrom } from "../../conditions/blockage.ts";
import type { GatewayError } from "../../errors.ts";
import { describeFailure } from "../../failures/description.ts";
import { warnOfMessages } from "../../failures/failure-log.ts";
import { type Batch, Message } from "../../message/message.ts";
import { formatMilliseconds } from "../../message/timestamp.ts";
import type { Value } from "../../message/value.ts";
import { workerSuffix } from "../../process/worker-place.ts";
import { targetsOf } from "./addresses.ts";
import { amqpFailure, farewellLimit, type OpenChannel, openChannel } from "./client.ts";
import { type Amqp09InputOptions, amqp09InputDefaults } from "./generated/input-options.ts";

const placeIn = /* @__PURE__ */ sourceFrom({
  exchange: "amqp_exchange",
  routingKey: "amqp_routing_key",
  deliveryTag: "amqp_delivery_tag",
});

/** Returns whether a message that failed with this text must not be retried. */
type Rejects = (failure: string) => boolean;

/** The settings of `Amqp09Deliveries`. */
interface Amqp09DeliveryOptions {
  /** The queue that the messages come from. */
  readonly queue: string;
  /** Largest number of deliveries in progress. */
  readonly limit: number;
  /** Whether to acknowledge messages before they are delivered. */
  readonly autoAck: boolean;
  readonly rejects: Rejects;
  /** Called after each delivery. */
  onDelivered(): void;
}

/** A message and its channel, which is the only one on which it can be acknowledged. */
interface Arrival {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
}

/** The messages of a queue, from their arrival to their acknowledgement. */
class Amqp09Deliveries {
  readonly #context: InputContext;
  readonly #options: Amqp09DeliveryOptions;
  readonly #window: DeliveryWindow<Arrival>;
  readonly #givenBack: GivenBack;
  readonly #closing = new AbortController();

  constructor(context: InputContext, options: Amqp09DeliveryOptions) {
    this.#context = context;
    this.#options = options;
    const sourceOf: SourceOf = (batch) => ({ queue: options.queue, ...placeIn(batch) });
    this.#givenBack = new GivenBack(context, sourceOf);
    const deliverMessages = createRedeliveryOfEach(context, sourceOf);
    const answers: Answers<Arrival> = {
      messageOf,
      confirm: (arrival) => this.#confirm(arrival),
      refuse: (arrival, batch, failure) => this.#refuse(arrival, batch, failure),
    };
    this.#window = new DeliveryWindow<Arrival>({
      limit: options.limit,
      collectors: context.collectors,
      isSourceLimited: true,
      // The broker respects the prefetch limit: more messages exist only if a lost channel left deliveries in progress.
      held: options.limit,
      bytes: Number.POSITIVE_INFINITY,
      sizeOf: ({ message }) => message.content.length,
      deliver: options.autoAck
        ? (arrivals, settle) => {
            // Not before the delivery starts, so that the broker holds back messages for which there is no room.
            for (const { message, channel } of arrivals) answer(() => channel.ack(message));
            deliverMessages(arrivals.map(messageOf), this.#closing.signal, (index) => {
              options.onDelivered();
              settle(index);
            });
          }
        : (arrivals, settle) => deliverArrivals(context, arrivals, settle, answers),
      onDropped: () => undefined, // cannot happen: the broker respects the prefetch limit
    });
  }

  /** Takes a message that the broker sent on `channel`; `null` means that the queue no longer exists. */
  take(message: ConsumeMessage | null, channel: Channel): void {
    if (this.#closing.signal.aborted) return;
    if (message !== null) this.#window.take({ message, channel }, false);
    else {
      this.#context.log.warn("RabbitMQ cancelled the consumer: the queue was deleted or moved");
      channel.close().catch(() => undefined); // the channel then counts as lost and is opened again
    }
  }

  /** Takes no more messages and retries none. */
  stop(): void {
    abort(this.#closing);
  }

  /** Resolves when no delivery is in progress. */
  async idle(): Promise<void> {
    await this.#window.idle();
    this.#givenBack.close();
  }

  #confirm({ message, channel }: Arrival): void {
    this.#options.onDelivered();
    if (message.fields.redelivered && !this.#givenBack.isEmpty) this.#givenBack.settled(keyOf(message));
    answer(() => channel.ack(message));
  }

  /** Rejects, gives up or returns a message. The reason of the failure was logged where it occurred. */
  async #refuse({ message, channel }: Arrival, batch: Batch, failure: GatewayError): Promise<void> {
    const key = keyOf(message);
    if (this.#options.rejects(failure.message)) {
      const text = "a message is rejected without redelivery";
      warnOfMessages(this.#context, text, 1, { ...describeFailure(failure) });
      this.#givenBack.settled(key);
      answer(() => channel.reject(message, false));
      return;
    }
    const isGivenUp = await this.#givenBack.givesUp(key, batch, failure, this.#closing.signal);
    answer(() => (isGivenUp ? channel.ack(message) : channel.nack(message, false, true)));
  }
}

/** Sends an answer. A lost channel is ignored: the broker redelivers its messages. */
function answer(send: () => void): void {
  try {
    send();
  } catch (error) {
    if (!(error instanceof Error && error.name === "IllegalOperationError")) throw error;
  }
}

function messageOf({ message }: Arrival): Message {
  return incomingMessage(message);
}

function keyOf({ content, fields, properties }: ConsumeMessage): string {
  return messageKey(fields.exchange, fields.routingKey, String(properties.messageId ?? ""), content);
}

/**
 * Converts a message of a queue.
 * Its headers and properties become metadata, all as text; `amqp_*` names override headers.
 */
export function incomingMessage({ content, fields, properties }: ConsumeMessage): Message {
  const metadata = new Map<string, Value>();
  for (const [name, value] of Object.entries(properties.headers ?? {})) setHeader(metadata, name, value);
  for (const [name, key] of propertyNames) {
    const value = headerText(properties[key]);
    if (value !== undefined && value !== "") metadata.set(name, value);
  }
  metadata.set("amqp_priority", String(properties.priority ?? 0));
  metadata.set("amqp_consumer_tag", fields.consumerTag);
  metadata.set("amqp_delivery_tag", String(fields.deliveryTag));
  metadata.set("amqp_redelivered", String(fields.redelivered));
  metadata.set("amqp_exchange", fields.exchange);
  metadata.set("amqp_routing_key", fields.routingKey);
  return Message.fromBytes(content, metadata);
}

/** The metadata names of properties. */
const propertyNames = [
  ["amqp_content_type", "contentType"],
  ["amqp_content_encoding", "contentEncoding"],
  ["amqp_delivery_mode", "deliveryMode"],
  ["amqp_correlation_id", "correlationId"],
  ["amqp_reply_to", "replyTo"],
  ["amqp_expiration", "expiration"],
  ["amqp_message_id", "messageId"],
  ["amqp_timestamp", "timestamp"],
  ["amqp_type", "type"],
  ["amqp_user_id", "userId"],
  ["amqp_app_id", "appId"],
] as const;

/**
 * Longest name under which nested headers are stored, in characters:
 * otherwise 128 KB of headers could yield names of a gigabyte.
 */
const longestName = 1024;

/** Sets a header. Nested headers get the names of all levels: `x-death_0_reason`. */
function setHeader(metadata: Map<string, Value>, name: string, value: unknown): void {
  const text = headerText(value);
  if (text !== undefined) metadata.set(name, text);
  else if (typeof value === "object" && value !== null && name.length <= longestName) {
    for (const [key, inner] of Object.entries(value)) setHeader(metadata, `${name}_${key}`, inner);
  }
}

/** Returns the text of a single value; `undefined` for a value that holds others, and for `null`. */
function headerText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return taggedText(value);
}

/**
 * Returns the text of a time or a decimal, which the client marks: `{ "!": "timestamp", value: 1700000000 }`. Returns
 * `undefined` for anything else, which is a table: publishers may send tables that look similar.
 */
function taggedText(value: object): string | undefined {
  if (!("!" in value) || !("value" in value)) return undefined;
  const inner: unknown = value.value;
  if (value["!"] === "timestamp" && typeof inner === "number") return formatMilliseconds(inner * 1000);
  if (value["!"] !== "decimal" || typeof inner !== "object" || inner === null) return undefined;
  if (!("digits" in inner && "places" in inner)) return undefined;
  const { digits, places } = inner;
  return isUpTo(digits, 2 ** 32) && isUpTo(places, 255) ? decimalText(digits, places) : undefined;
}

function isUpTo(value: unknown, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;
}

function decimalText(digits: number, places: number): string {
  if (places === 0) return String(digits);
  const text = String(digits).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`;
}

/**
 * Reads a queue. A message is acknowledged once its delivery is confirmed. A failed message is returned to the queue
 * after a pause, or rejected if `rejects` returns true for the text of the failure. A gateway whose document has no
 * `nack_reject_patterns` does not include the pattern engine.
 */
export function amqp09Input(options: PlainOptions, rejects: Rejects = () => false): Input {
  const settings = { ...amqp09InputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    sequenceOf: () => queueSequence,
    ...(declares(settings) && { prepare: () => prepare(settings) }),
    async start(context) {
      reading = new Reading(settings, context, rejects);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

type PlainOptions = Omit<Amqp09InputOptions, "nack_reject_patterns">;
type Settings = PlainOptions & Required<Pick<PlainOptions, "prefetch_count" | "consumer_tag" | "auto_ack">>;

/** The messages of a queue are delivered in order. */
const queueSequence: Sequence = { name: "queue", isKey: false };

function declares({ queue_declare, bindings_declare = [] }: Settings): boolean {
  return queue_declare?.enabled === true || bindings_declare.length > 0;
}

/** Declares the queue and its bindings, on a connection of its own. */
async function prepare(settings: Settings): Promise<void> {
  const opened = await openChannel(
    targetsOf(settings),
    (connection) => connection.createChannel(),
    (channel) => declareQueue(channel, settings),
  );
  await opened.close();
}

async function declareQueue(
  channel: Channel,
  { queue, queue_declare, bindings_declare = [] }: Settings,
): Promise<void> {
  if (queue_declare?.enabled === true) {
    const { durable = true, auto_delete: autoDelete = false } = queue_declare;
    await withFailure(
      channel.assertQueue(queue, { durable, autoDelete }),
      "RabbitMQ refused to declare the queue",
    );
  }
  for (const { exchange = "", key = "" } of bindings_declare) {
    await withFailure(channel.bindQueue(queue, exchange, key), "RabbitMQ refused to bind the queue");
  }
}

/** One run of an input, from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #kept: KeptOpen<OpenChannel>;
  readonly #deliveries: Amqp09Deliveries;
  /** The consumer tag that the broker assigned on the current channel. */
  #tag: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext, rejects: Rejects) {
    const targets = targetsOf(settings);
    this.#settings = settings;
    this.#kept = new KeptOpen<OpenChannel>({
      name: "RabbitMQ",
      context,
      open: () =>
        openChannel(
          targets,
          (connection) => connection.createChannel(),
          (channel) => this.#prepare(channel),
        ),
    });
    this.#deliveries = new Amqp09Deliveries(context, {
      queue: settings.queue,
      limit: prefetchOf(settings),
      autoAck: settings.auto_ack,
      rejects,
      onDelivered: () => this.#kept.succeeded(),
    });
  }

  start(): Promise<void> {
    return this.#kept.start();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#deliveries.stop();
    await this.#kept.leave();
    // Messages that still arrive are ignored: the broker has them again when the channel is closed.
    const channel = this.#kept.current?.channel;
    if (channel !== undefined && this.#tag !== undefined) {
      await settlesWithin(channel.cancel(this.#tag), farewellLimit);
    }
    await this.#deliveries.idle();
    await this.#kept.close(); // sends the acknowledgements that are still buffered
  }

  async #prepare(channel: Channel): Promise<void> {
    const { queue, consumer_tag } = this.#settings;
    await declareQueue(channel, this.#settings);
    await channel.prefetch(prefetchOf(this.#settings));
    const consumerTag = consumer_tag === "" ? "" : consumer_tag + workerSuffix();
    const reader = channel.consume(queue, (message) => this.#deliveries.take(message, channel), {
      consumerTag,
    });
    this.#tag = (await withFailure(reader, "RabbitMQ refused to read the queue")).consumerTag;
  }
}

/**
 * Returns the prefetch limit. Without one in the document, returns the largest of the protocol, so that a queue need
 * not fit into memory.
 */
function prefetchOf({ prefetch_count }: Settings): number {
  return prefetch_count === 0 ? 65_535 : prefetch_count;
}

async function withFailure<T>(reply: Promise<T>, refusal: string): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    throw amqpFailure(error, refusal);
  }
}
