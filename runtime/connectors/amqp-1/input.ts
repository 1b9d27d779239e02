import rhea, { type Message as AmqpMessage, type Delivery, type EventContext, type Receiver } from "rhea";
import type { Input, InputContext } from "../../component/component.ts";
import { GivenBack, messageKey, redeliveryDelays } from "../../component/given-back.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import { giveUp } from "../../component/redelivery.ts";
import { backoffDelay, pause } from "../../concurrency/backoff.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { type Batch, Message } from "../../message/message.ts";
import { formatMilliseconds } from "../../message/timestamp.ts";
import type { Value } from "../../message/value.ts";
import { targetsOf } from "./addresses.ts";
import { type OpenLink, openLink } from "./client.ts";
import { type Amqp1InputOptions, amqp1InputDefaults } from "./generated/input-options.ts";
import { largestAmqpMessage } from "./inbound-limits.ts";

const placeIn = /* @__PURE__ */ sourceFrom({ messageId: "amqp_message_id" });

/** How messages are seen through. */
interface Amqp1DeliveryOptions {
  /** Where they come from. */
  readonly address: string;
  /** Deliveries under way at once. */
  readonly limit: number;
  readonly readHeader: boolean;
  /** A message was delivered. */
  onDelivered(): void;
}

/** A message, and how to tell the broker what became of it. What the client made of it is not kept: it may be far larger. */
interface Arrival {
  readonly batch: Batch;
  readonly id: unknown;
  /** Deliveries before this one that the broker counted. */
  readonly deliveryCount: number;
  readonly delivery: Delivery;
  readonly receiver: Receiver;
}

/** Messages of an address from their arrival until their acknowledgement. */
class Amqp1Deliveries {
  readonly #context: InputContext;
  readonly #options: Amqp1DeliveryOptions;
  readonly #window: DeliveryWindow<Arrival>;
  readonly #givenBack: GivenBack;
  readonly #closing = new AbortController();
  /** The present link. */
  #receiver: Receiver | undefined;
  /** Those of a lost link included, until they are seen through. */
  #underWay = 0;
  /** Messages that the broker may send, and has not sent yet. */
  #credit = 0;

  constructor(context: InputContext, options: Amqp1DeliveryOptions) {
    this.#context = context;
    this.#options = options;
    this.#givenBack = new GivenBack(context, (batch) => ({ address: options.address, ...placeIn(batch) }));
    this.#window = new DeliveryWindow<Arrival>({
      limit: options.limit,
      // The broker keeps to the credit: beyond the limit there is only what a lost link left under way.
      held: options.limit,
      bytes: Number.POSITIVE_INFINITY,
      sizeOf: () => 0,
      deliver: (arrival) => this.#deliver(arrival),
      onDropped: () => undefined, // nothing may be
    });
  }

  /** Begins to read from a link; what an earlier one was to send does not come any more. */
  open(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#credit = 0;
    this.#grant();
  }

  /** Takes what the broker sent. */
  take({ message, delivery, receiver }: EventContext): void {
    if (this.#closing.signal.aborted || message === undefined) return;
    if (delivery === undefined || receiver === undefined) return;
    this.#credit -= 1;
    this.#underWay += 1;
    const batch = [incomingMessage(message, this.#options.readHeader)];
    const deliveryCount = Number(message.delivery_count ?? 0);
    this.#window.take({ batch, id: message.message_id, deliveryCount, delivery, receiver }, false);
    this.#grant();
  }

  /** Takes nothing any more, and waits for nothing before it gives back. */
  stop(): void {
    this.#closing.abort();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#window.idle();
    this.#givenBack.close();
  }

  async #deliver(arrival: Arrival): Promise<void> {
    try {
      await this.#context.deliver(arrival.batch);
    } catch (error) {
      await this.#refuse(arrival, toGatewayError(error, 500, "Internal error"));
      return;
    }
    this.#options.onDelivered();
    if (!this.#givenBack.isEmpty) this.#givenBack.settled(keyOf(arrival));
    this.#accept(arrival);
  }

  /** Why a delivery failed was logged where it failed. */
  async #refuse(arrival: Arrival, failure: GatewayError): Promise<void> {
    const { batch, deliveryCount } = arrival;
    const key = keyOf(arrival);
    // A broker that counts knows of other readers too.
    const here = this.#givenBack.failed(key, batch, failure);
    const attempts = Math.max(here, deliveryCount + 1);
    const isLast = attempts >= (this.#context.maxAttempts || Number.POSITIVE_INFINITY);
    if (isLast && (await giveUp(this.#context, batch, failure))) {
      this.#givenBack.settled(key);
      this.#accept(arrival);
      return;
    }
    this.#context.countRetry?.(batch.length);
    await pause(backoffDelay(attempts - 1, redeliveryDelays), this.#closing.signal);
    this.#settle(arrival, () => giveBack(arrival, this.#closing.signal.aborted));
  }

  #accept(arrival: Arrival): void {
    this.#settle(arrival, () => arrival.delivery.accept());
  }

  /** A link that is gone took its messages with it: the broker delivers them again. */
  #settle({ receiver }: Arrival, tell: () => void): void {
    this.#underWay -= 1;
    if (receiver.is_open()) tell();
    this.#grant();
  }

  /**
   * Lets the broker send as many messages as there is room for, once all it might send before have come: RabbitMQ
   * counts wrongly, and sends more, where the credit changes while messages are on their way.
   */
  #grant(): void {
    const room = this.#options.limit - this.#underWay;
    if (this.#credit > 0 || room <= 0 || this.#closing.signal.aborted) return;
    this.#credit = room;
    this.#receiver?.add_credit(room);
  }
}

/** One that failed counts at the broker, so that its own limits work; one that was not tried in full does not. */
function giveBack({ delivery, receiver }: Arrival, isClosing: boolean): void {
  if (isClosing || !understandsModified(receiver)) delivery.release();
  else delivery.modified({ delivery_failed: true, undeliverable_here: false });
}

/** RabbitMQ before 4.0 ends the session when a message comes back modified, although it offers that. */
function understandsModified({ connection }: Receiver): boolean {
  const { product, version } = connection.properties ?? {};
  return product !== "RabbitMQ" || Number.parseInt(String(version), 10) >= 4;
}

function keyOf({ id, batch }: Arrival): string {
  return messageKey(textOfValue(id) ?? "", batch[0]?.bytes() ?? new Uint8Array());
}

/** What the client makes of a message, or why it cannot (`compiler/link/patches/rhea.ts`). */
type Decoded = AmqpMessage & { readonly unreadable?: unknown };

/**
 * A message of an address: its annotations and application properties become metadata under their own names, all
 * of them text, and what is known of it as `amqp_*`; with `readHeader` its header too. One that cannot be read, or whose body
 * has no text, is flagged.
 */
export function incomingMessage(message: Decoded, readHeader: boolean): Message {
  if (message.unreadable !== undefined)
    return unreadable("The AMQP message cannot be read", message.unreadable);
  const metadata = metadataOf(message, readHeader);
  try {
    return Message.fromBytes(contentOf(message.body), metadata);
  } catch (cause) {
    // Lists within lists may be deeper than the stack of the engine.
    return unreadable("The body of the AMQP message cannot be read", cause, metadata);
  }
}

function unreadable(text: string, cause: unknown, metadata?: ReadonlyMap<string, Value>): Message {
  const failure = new GatewayError(422, text, { cause, retryable: false });
  return Message.fromBytes(new Uint8Array(), metadata).withFailure(failure);
}

function metadataOf(message: AmqpMessage, readHeader: boolean): ReadonlyMap<string, Value> {
  const metadata = new Map<string, Value>();
  setTexts(metadata, message.message_annotations);
  setTexts(metadata, message.application_properties);
  for (const [name, key] of propertyNames) setText(metadata, name, message[key]);
  if (readHeader)
    for (const [name, key] of headerNames) setText(metadata, name, message[key] ?? headerDefaults[key]);
  return metadata;
}

const propertyNames = [
  ["amqp_content_type", "content_type"],
  ["amqp_content_encoding", "content_encoding"],
  ["amqp_creation_time", "creation_time"],
  ["amqp_to", "to"],
] as const;

const headerNames = [
  ["amqp_durable", "durable"],
  ["amqp_priority", "priority"],
  ["amqp_ttl", "ttl"],
  ["amqp_first_acquirer", "first_acquirer"],
  ["amqp_delivery_count", "delivery_count"],
] as const;

/** What the protocol says of fields that are not there. */
const headerDefaults = {
  durable: false,
  priority: 4,
  ttl: undefined,
  first_acquirer: false,
  delivery_count: 0,
} as const;

function setTexts(metadata: Map<string, Value>, values: unknown): void {
  if (typeof values !== "object" || values === null) return;
  for (const [name, value] of Object.entries(values)) setText(metadata, name, value);
}

function setText(metadata: Map<string, Value>, name: string, value: unknown): void {
  const text = textOfValue(value);
  if (text !== undefined) metadata.set(name, text);
}

/** Single values as text; lists, maps and nothing at all have none. */
function textOfValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Date) return formatMilliseconds(value.getTime());
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "object" ? undefined : String(value);
}

/** Descriptor of a section of bytes. */
const dataCode = 0x75;

/** The bytes of a message; a value that is not bytes is its text, and one that holds others is JSON. */
function contentOf(body: unknown): Uint8Array {
  if (!isSection(body)) return asBytes(body);
  const { typecode, content } = body;
  return typecode === dataCode && Array.isArray(content)
    ? Buffer.concat(content.map(asBytes))
    : asBytes(content);
}

/** Told from a map with such names by what rhea, which does not export it, makes sections of. */
function isSection(body: unknown): body is { readonly typecode: unknown; readonly content: unknown } {
  const { constructor: section } = rhea.message.data_section(Buffer.alloc(0));
  return body instanceof section;
}

function asBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(
    textOfValue(value) ?? (value === null || value === undefined ? "" : JSON.stringify(value)),
  );
}

/**
 * Reads an address. A message is accepted once its delivery is confirmed; one that failed is returned to the
 * broker after a pause.
 */
export function amqp1Input(options: Amqp1InputOptions): Input {
  const settings = { ...amqp1InputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    sequenceOf: () => sourceSequence,
    async start(context) {
      reading = new Reading(settings, context);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

/** An address is read in its order. */
const sourceSequence: Sequence = { name: "source", isKey: false };

type Settings = Amqp1InputOptions & Required<Pick<Amqp1InputOptions, "credit" | "read_header">>;

/** One input from `start` to `close`. */
class Reading {
  readonly #kept: KeptOpen<OpenLink<Receiver>>;
  readonly #deliveries: Amqp1Deliveries;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext) {
    const { source_address: address, credit } = settings;
    // The client settles in order: what waits for an older one takes up room there.
    const session = { session_buffer_size: Math.max(2048, Math.min(2 * credit, 65_536)) };
    const targets = targetsOf(settings).map((target) => Object.assign(target, session));
    this.#kept = new KeptOpen<OpenLink<Receiver>>({
      name: "AMQP",
      context,
      open: async () => {
        const opened = await openLink(targets, (connection) => {
          const receiver = connection.open_receiver({
            source: { address },
            credit_window: 0,
            autoaccept: false,
            max_message_size: largestAmqpMessage,
          });
          return receiver.on("message", (event: EventContext) => this.#deliveries.take(event));
        });
        this.#deliveries.open(opened.link);
        return opened;
      },
    });
    this.#deliveries = new Amqp1Deliveries(context, {
      address,
      limit: credit,
      readHeader: settings.read_header,
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
    // What still comes is not taken: the broker has it again when the link is closed.
    this.#deliveries.stop();
    await this.#kept.leave();
    await this.#deliveries.idle();
    await this.#kept.close(); // what became of the last messages may still be on its way
  }
}
