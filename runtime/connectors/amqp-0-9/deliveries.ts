import type { Channel, ConsumeMessage } from "amqplib";
import type { InputContext } from "../../component/component.ts";
import { GivenBack, messageKey, redeliveryDelays } from "../../component/given-back.ts";
import { createRedelivery, giveUp } from "../../component/redelivery.ts";
import { backoffDelay, pause } from "../../concurrency/backoff.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import { type SourceOf, sourceFrom } from "../../conditions/blockage.ts";
import { type GatewayError, toGatewayError } from "../../errors.ts";
import { type Batch, Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";

const placeIn = /* @__PURE__ */ sourceFrom({
  exchange: "amqp_exchange",
  routingKey: "amqp_routing_key",
  deliveryTag: "amqp_delivery_tag",
});

/** Whether a message whose failure has this text is not to be tried again. */
export type Rejects = (failure: string) => boolean;

/** How messages are seen through. */
export interface Amqp09DeliveryOptions {
  /** Where they come from. */
  readonly queue: string;
  /** Deliveries under way at once. */
  readonly limit: number;
  /** Acknowledge before the delivery. */
  readonly autoAck: boolean;
  readonly rejects: Rejects;
  /** A message was delivered. */
  onDelivered(): void;
}

/** A message, and the channel it came by: nowhere else can it be answered. */
interface Arrival {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
}

/** Messages of a queue from their arrival until their acknowledgement. */
export class Amqp09Deliveries {
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
    const redelivery = createRedelivery(context, sourceOf);
    this.#window = new DeliveryWindow<Arrival>({
      limit: options.limit,
      // The broker counts what it waits for: beyond the limit there is only what a lost channel left under way.
      held: options.limit,
      bytes: Number.POSITIVE_INFINITY,
      sizeOf: ({ message }) => message.content.length,
      deliver: options.autoAck
        ? async ({ message, channel }) => {
            // Not before its turn, so that the broker holds back what finds none.
            answer(() => channel.ack(message));
            await redelivery.deliver([incomingMessage(message)], this.#closing.signal);
            options.onDelivered();
          }
        : (arrival) => this.#deliver(arrival),
      onDropped: () => undefined, // nothing may be
    });
  }

  /** Takes what the broker sent on `channel`; nothing (`null`) means that there is no queue any more. */
  take(message: ConsumeMessage | null, channel: Channel): void {
    if (this.#closing.signal.aborted) return;
    if (message !== null) this.#window.take({ message, channel }, false);
    else {
      this.#context.log.warn("RabbitMQ cancelled the consumer: the queue was deleted or moved");
      channel.close().catch(() => undefined); // it is lost then, and opened again
    }
  }

  /** Takes nothing any more, and repeats nothing. */
  stop(): void {
    this.#closing.abort();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#window.idle();
    this.#givenBack.close();
  }

  async #deliver({ message, channel }: Arrival): Promise<void> {
    const batch = [incomingMessage(message)];
    try {
      await this.#context.deliver(batch);
    } catch (error) {
      await this.#refuse({ message, channel }, batch, toGatewayError(error, 500, "Internal error"));
      return;
    }
    this.#options.onDelivered();
    if (message.fields.redelivered && !this.#givenBack.isEmpty) this.#givenBack.settled(keyOf(message));
    answer(() => channel.ack(message));
  }

  /** Why a delivery failed was logged where it failed. */
  async #refuse({ message, channel }: Arrival, batch: Batch, failure: GatewayError): Promise<void> {
    const key = keyOf(message);
    if (this.#options.rejects(failure.message)) {
      this.#context.log.warn("a message is rejected for good", { reason: failure.answer });
      this.#givenBack.settled(key);
      answer(() => channel.reject(message, false));
      return;
    }
    const attempts = this.#givenBack.failed(key, batch, failure);
    const isLast = attempts >= (this.#context.maxAttempts || Number.POSITIVE_INFINITY);
    if (isLast && (await giveUp(this.#context, batch, failure))) {
      this.#givenBack.settled(key);
      answer(() => channel.ack(message));
      return;
    }
    this.#context.countRetry?.(batch.length);
    await pause(backoffDelay(attempts - 1, redeliveryDelays), this.#closing.signal);
    answer(() => channel.nack(message, false, true));
  }
}

/** A channel that is gone took its messages with it: the broker delivers them again. */
function answer(send: () => void): void {
  try {
    send();
  } catch (error) {
    if (!(error instanceof Error && error.name === "IllegalOperationError")) throw error;
  }
}

function keyOf({ content, fields, properties }: ConsumeMessage): string {
  return messageKey(fields.exchange, fields.routingKey, String(properties.messageId ?? ""), content);
}

/** A message of a queue: its headers and properties become metadata, all of them text; the broker's own win. */
function incomingMessage({ content, fields, properties }: ConsumeMessage): Message {
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

/** Metadata by the properties that it comes from, where a message has them. */
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

/** Headers within headers are named by all the names on the way to them: `x-death_0_reason`. */
function setHeader(metadata: Map<string, Value>, name: string, value: unknown): void {
  const text = headerText(value);
  if (text !== undefined) metadata.set(name, text);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) setHeader(metadata, `${name}_${key}`, inner);
  }
}

/** The text of a single value; `undefined` for those that hold others, and for none at all. */
function headerText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return taggedText(value);
}

/** Times and decimals, as the client marks them: `{ "!": "timestamp", value: 1700000000 }`. */
function taggedText(value: object): string | undefined {
  if (!("!" in value) || !("value" in value)) return undefined;
  const inner: unknown = value.value;
  if (value["!"] === "timestamp") return new Date(Number(inner) * 1000).toISOString().replace(".000Z", "Z");
  if (typeof inner === "object" && inner !== null && "digits" in inner && "places" in inner)
    return decimalText(Number(inner.digits), Number(inner.places));
  return String(inner);
}

function decimalText(digits: number, places: number): string {
  if (places === 0) return String(digits);
  const text = String(Math.abs(digits)).padStart(places + 1, "0");
  return `${digits < 0 ? "-" : ""}${text.slice(0, -places)}.${text.slice(-places)}`;
}
