import rhea, { type Message as AmqpMessage, type Delivery, type EventContext, type Receiver } from "rhea";
import type { Input, InputContext } from "../../component/component.ts";
import { type Answers, deliverArrivals, GivenBack, messageKey } from "../../component/given-back.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import { abort } from "../../concurrency/abort.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import { GatewayError } from "../../errors.ts";
import { type Batch, Message } from "../../message/message.ts";
import { formatMilliseconds } from "../../message/timestamp.ts";
import type { Value } from "../../message/value.ts";
import { targetsOf } from "./addresses.ts";
import { type OpenLink, openLink } from "./client.ts";
import { type Amqp1InputOptions, amqp1InputDefaults } from "./generated/input-options.ts";
import { largestAmqpMessage } from "./inbound-limits.ts";

const placeIn = /* @__PURE__ */ sourceFrom({ messageId: "amqp_message_id" });

/** The settings of `Amqp1Deliveries`. */
interface Amqp1DeliveryOptions {
  /** The address that the messages come from. */
  readonly address: string;
  /** Largest number of deliveries in progress. */
  readonly limit: number;
  readonly readHeader: boolean;
  /** Called after each delivery. */
  onDelivered(): void;
}

/**
 * A message, and how to settle it at the broker.
 * The client's decoded message is not kept, because it may be far larger.
 */
interface Arrival {
  readonly message: Message;
  readonly id: unknown;
  /** The number of earlier deliveries that the broker counted. */
  readonly deliveryCount: number;
  readonly delivery: Delivery;
  readonly receiver: Receiver;
}

/** The messages of an address, from their arrival to their acknowledgement. */
class Amqp1Deliveries {
  readonly #options: Amqp1DeliveryOptions;
  readonly #window: DeliveryWindow<Arrival>;
  readonly #givenBack: GivenBack;
  readonly #closing = new AbortController();
  /** The current link. */
  #receiver: Receiver | undefined;
  /** Number of unsettled messages, including those of a lost link. */
  #underWay = 0;
  /** Number of messages that the broker may still send. */
  #credit = 0;

  constructor(context: InputContext, options: Amqp1DeliveryOptions) {
    this.#options = options;
    this.#givenBack = new GivenBack(context, (batch) => ({ address: options.address, ...placeIn(batch) }));
    const answers: Answers<Arrival> = {
      messageOf: ({ message }) => message,
      confirm: (arrival) => this.#confirm(arrival),
      refuse: (arrival, batch, failure) => this.#refuse(arrival, batch, failure),
    };
    this.#window = new DeliveryWindow<Arrival>({
      limit: options.limit,
      collectors: context.collectors,
      isSourceLimited: true,
      // The broker respects the credit: more messages exist only if a lost link left deliveries in progress.
      held: options.limit,
      bytes: Number.POSITIVE_INFINITY,
      sizeOf: () => 0,
      deliver: (arrivals, settle) => deliverArrivals(context, arrivals, settle, answers),
      onDropped: () => undefined, // cannot happen: the broker respects the credit
    });
  }

  /** Starts reading from a link. The credit of an earlier link is void. */
  open(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#credit = 0;
    this.#grant();
  }

  /** Takes a message that the broker sent. */
  take({ message, delivery, receiver }: EventContext): void {
    if (this.#closing.signal.aborted || message === undefined) return;
    if (delivery === undefined || receiver === undefined) return;
    this.#credit -= 1;
    this.#underWay += 1;
    const arrival: Arrival = {
      message: incomingMessage(message, this.#options.readHeader),
      id: message.message_id,
      deliveryCount: Number(message.delivery_count ?? 0),
      delivery,
      receiver,
    };
    this.#window.take(arrival, false);
    this.#grant();
  }

  /** Takes no more messages, and returns failed ones without a pause. */
  stop(): void {
    abort(this.#closing);
  }

  /** Resolves when no delivery is in progress. */
  async idle(): Promise<void> {
    await this.#window.idle();
    this.#givenBack.close();
  }

  #confirm(arrival: Arrival): void {
    this.#options.onDelivered();
    if (!this.#givenBack.isEmpty) this.#givenBack.settled(keyOf(arrival));
    this.#accept(arrival);
  }

  /** Gives up or returns a message. The reason of the failure was logged where it occurred. */
  async #refuse(arrival: Arrival, batch: Batch, failure: GatewayError): Promise<void> {
    const { signal } = this.#closing;
    const key = keyOf(arrival);
    if (await this.#givenBack.givesUp(key, batch, failure, signal, arrival.deliveryCount))
      this.#accept(arrival);
    else this.#settle(arrival, () => giveBack(arrival, signal.aborted));
  }

  #accept(arrival: Arrival): void {
    this.#settle(arrival, () => arrival.delivery.accept());
  }

  /** Settles a message. A lost link is ignored: the broker redelivers its messages. */
  #settle({ receiver }: Arrival, settle: () => void): void {
    this.#underWay -= 1;
    if (receiver.is_open()) settle();
    this.#grant();
  }

  /**
   * Lets the broker send as many messages as there is room for, once it has used up the former credit: RabbitMQ
   * miscounts and sends more if the credit changes while messages are being sent.
   */
  #grant(): void {
    const room = this.#options.limit - this.#underWay;
    if (this.#credit > 0 || room <= 0 || this.#closing.signal.aborted) return;
    this.#credit = room;
    this.#receiver?.add_credit(room);
  }
}

/**
 * Returns a message to the broker. A failed one counts as a delivery attempt, so that the broker's limits work; an
 * aborted one does not.
 */
function giveBack({ delivery, receiver }: Arrival, isClosing: boolean): void {
  if (isClosing || !understandsModified(receiver)) delivery.release();
  else delivery.modified({ delivery_failed: true, undeliverable_here: false });
}

/** RabbitMQ before 4.0 ends the session if a message is returned as modified, although it offers that outcome. */
function understandsModified({ connection }: Receiver): boolean {
  const { product, version } = connection.properties ?? {};
  return product !== "RabbitMQ" || Number.parseInt(String(version), 10) >= 4;
}

function keyOf({ id, message }: Arrival): string {
  return messageKey(textOfValue(id) ?? "", message.bytes());
}

/** A message that the client decoded, or the reason why it could not (`compiler/link/patches/rhea.ts`). */
type Decoded = AmqpMessage & { readonly unreadable?: unknown };

/**
 * Converts a message of an address. Its annotations and application properties become metadata under their own names,
 * all as text, and its properties become `amqp_*` metadata; with `readHeader` its header too. A message that cannot
 * be decoded, or whose body cannot be converted, is flagged.
 */
export function incomingMessage(message: Decoded, readHeader: boolean): Message {
  if (message.unreadable !== undefined)
    return unreadable("The AMQP message cannot be read", message.unreadable);
  const metadata = metadataOf(message, readHeader);
  try {
    return Message.fromBytes(contentOf(message.body), metadata);
  } catch (cause) {
    // Nested lists may exceed the stack of the engine.
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

/** Defaults of the protocol for absent fields. */
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

/** Returns single values as text; `undefined` for lists, maps and `null`. */
function textOfValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Date) return formatMilliseconds(value.getTime());
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "object" ? undefined : String(value);
}

/** Descriptor code of a data section. */
const dataCode = 0x75;

/**
 * Returns the content of a message.
 * Bytes stay unchanged, a single value becomes text, and a list or map becomes JSON.
 */
function contentOf(body: unknown): Uint8Array {
  if (!isSection(body)) return asBytes(body);
  const { typecode, content } = body;
  return typecode === dataCode && Array.isArray(content)
    ? Buffer.concat(content.map(asBytes))
    : asBytes(content);
}

/** Recognises a section by its class, which rhea does not export; a map may have the same field names. */
function isSection(body: unknown): body is { readonly typecode: unknown; readonly content: unknown } {
  const { constructor: section } = rhea.message.data_section(Buffer.alloc(0));
  return body instanceof section;
}

function asBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(
    textOfValue(value) ?? (value === null || value === undefined ? "" : JSON.stringify(value, exactInteger)),
  );
}

/** JSON of Node; TypeScript does not declare all of its functions yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Prints integers beyond 53 bits, which rhea is patched to return as `bigint` (`compiler/link/patches/rhea.ts`). */
function exactInteger(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(String(value)) : value;
}

/**
 * Reads an address. A message is accepted once its delivery is confirmed. A failed message is returned to the broker
 * after a pause.
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

/** The messages of an address are delivered in order. */
const sourceSequence: Sequence = { name: "source", isKey: false };

type Settings = Amqp1InputOptions & Required<Pick<Amqp1InputOptions, "credit" | "read_header">>;

/** One run of an input, from `start` to `close`. */
class Reading {
  readonly #kept: KeptOpen<OpenLink<Receiver>>;
  readonly #deliveries: Amqp1Deliveries;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext) {
    const { source_address: address, credit } = settings;
    // The client settles messages in order: settled ones that wait for an older one take up space in its buffer.
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
    // Messages that still arrive are ignored: the broker has them again when the link is closed.
    this.#deliveries.stop();
    await this.#kept.leave();
    await this.#deliveries.idle();
    await this.#kept.close(); // sends the last outcomes that are still buffered
  }
}
