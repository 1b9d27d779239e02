import type { Delivery, EventContext, Sender } from "rhea";
import rhea from "rhea";
import type { ComponentContext, Output } from "../../component/component.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import { CountedWrite, type MessageOutcome } from "../../component/outcomes.ts";
import { failedMessage, unfitMessage } from "../../component/unfit-messages.ts";
import { Fifo } from "../../concurrency/fifo.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { TransientMap } from "../../concurrency/transient.ts";
import { GatewayError } from "../../errors.ts";
import { unfit, unfitSize, unfitText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import { printJson } from "../../message/json.ts";
import type { Batch, Message } from "../../message/message.ts";
import { findContentType, travellingMetadata } from "../../message/metadata.ts";
import type { Value } from "../../message/value.ts";
import { asBuffer } from "../../text/utf8.ts";
import { targetsOf } from "./addresses.ts";
import { type OpenLink, openLink } from "./client.ts";
import { type Amqp1OutputOptions, amqp1OutputDefaults } from "./generated/output-options.ts";

/** Encodes message `index` of `batch`; throws a `GatewayError` if AMQP cannot represent it. */
type MakeMessage = (batch: Batch, index: number) => Buffer;

/**
 * Returns a function that creates the encoded messages. Metadata whose names start with `x-` become annotations: a
 * broker has to close a link on which other annotations arrive, and the retried message would close it again,
 * endlessly. Other metadata become application properties; those of the mapping override them.
 */
function createMessages({ metadata, application_properties_map: map }: MessageOptions): MakeMessage {
  return (batch, index) => {
    const source = batch[index];
    const bytes = source?.bytes() ?? new Uint8Array();
    const passed = source === undefined ? [] : travellingMetadata(source, metadata?.exclude_prefixes);
    const annotations = passed.filter(([name]) => name.startsWith("x-"));
    const properties = passed.filter(([name]) => !name.startsWith("x-"));
    const mapped = map === undefined ? [] : mappedProperties(map(batch, index)?.document());
    checkMetadata([...passed, ...mapped]);
    const hasType = passed.some(([name]) => name.toLowerCase() === "content-type");
    const contentType = hasType && source !== undefined ? findContentType(source) : undefined;
    const message: Record<string, unknown> = {
      durable: true,
      body: rhea.message.data_section(asBuffer(bytes)),
      message_annotations: Object.fromEntries(annotations),
      application_properties: Object.fromEntries([...properties, ...mapped]),
    };
    if (contentType !== undefined) message.content_type = contentType;
    return encode(message);
  };
}

function encode(message: object): Buffer {
  try {
    return rhea.message.encode(message);
  } catch (error) {
    const reason = "The message has metadata or properties that AMQP 1.0 cannot hold";
    throw new GatewayError(422, reason, { cause: error, retryable: false });
  }
}

type MessageOptions = Pick<Amqp1OutputOptions, "metadata" | "application_properties_map">;

/** Returns the properties that the mapping made. A mapping without a result, or with the result `null`, sets none. */
function mappedProperties(made: Value | undefined): readonly (readonly [string, unknown])[] {
  if (made === undefined || made === null) return [];
  if (typeof made !== "object" || Array.isArray(made) || made instanceof Uint8Array) throw noObject();
  if (Object.getPrototypeOf(made) !== Object.prototype) throw noObject();
  return Object.entries(made).map(([name, value]) => [name, propertyValue(name, value)] as const);
}

function noObject(): GatewayError {
  const message = "application_properties_map of amqp_1 did not return an object";
  return new GatewayError(422, message, { retryable: false });
}

/** Largest size of annotations and properties together, in bytes: brokers read these sections as a whole. */
const largestProperties = 65_000;

/** Throws a `GatewayError` if a name or a text in the metadata is invalid, or if all together are too large. */
function checkMetadata(metadata: readonly (readonly [name: string, value: unknown])[]): void {
  let size = 0;
  for (const [name, value] of metadata) {
    if (!name.isWellFormed()) throw unfit("A name of metadata is not a text that UTF-8 can hold");
    // The names of annotations are symbols, which are ASCII.
    if (name.startsWith("x-") && !/^[!-~]+$/.test(name))
      throw unfit("A name of metadata is not the name of an AMQP annotation");
    if (typeof value === "string" && !value.isWellFormed())
      throw unfitText("application_properties", "made of texts that UTF-8 can hold");
    size += Buffer.byteLength(name);
    if (typeof value === "string" || value instanceof Uint8Array) size += Buffer.byteLength(value);
  }
  if (size > largestProperties)
    throw unfitSize("The metadata of the message are larger than AMQP properties can be");
}

/** Limits of signed and unsigned 64-bit integers. */
const longest = 2n ** 63n;

const longestUnsigned = 2n ** 64n;

/**
 * Converts a value of the mapping language for the client: whole numbers to long, others to double. Throws a
 * `GatewayError` for lists and objects, which application properties cannot hold.
 */
export function propertyValue(name: string, value: Value): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  // Numbers have several representations, but one text.
  const text = printJson(value);
  if (/^-?\d+$/.test(text)) return wholeNumber(BigInt(text));
  if (/^-?[\d.]+(?:[eE][+-]?\d+)?$/.test(text)) return rhea.types.wrap_double(Number(text));
  const message = `The application property \`${name}\` of amqp_1 is neither a text, a number nor a boolean`;
  throw new GatewayError(422, message, { retryable: false });
}

function wholeNumber(value: bigint): unknown {
  if (value >= longestUnsigned || value < -longest) return rhea.types.wrap_double(Number(value));
  const bytes = Buffer.alloc(8);
  if (value >= longest) {
    bytes.writeBigUInt64BE(value);
    return rhea.types.wrap_ulong(bytes);
  }
  bytes.writeBigInt64BE(value);
  return rhea.types.wrap_long(bytes);
}

/**
 * Sends each message to an address, in the order of the writes. A write resolves once the broker has accepted all of
 * its messages. It fails if the link is lost before.
 */
export function amqp1Output(options: Amqp1OutputOptions): Output {
  const settings = { ...amqp1OutputDefaults, ...options };
  const makeMessage = createMessages(settings);
  const inFlight = new Semaphore(settings.max_in_flight);
  let kept: KeptOpen<SendingLink> | undefined;

  async function send(batch: Batch): Promise<void> {
    const sending = kept?.current?.sending;
    if (sending === undefined) throw notConnected();
    const messages = prepareAll(batch, (_, index) => {
      const bytes = makeMessage(batch, index);
      if (bytes.length > sending.largest) throw tooLarge();
      return bytes;
    });
    const write = new CountedWrite(batch.length);
    for (const [index, message] of batch.entries())
      sending.send({ message, bytes: messages[index] ?? noBytes, outcome: write });
    await write.settled;
    kept?.succeeded();
  }

  return {
    async start(context) {
      kept = keepSending(settings, context);
      await kept.start();
    },
    async write(batch) {
      await inFlight.use(() => send(batch));
      return {};
    },
    async close() {
      await inFlight.idle();
      await kept?.close();
    },
  };
}

interface SendingLink extends OpenLink<Sender> {
  readonly sending: Sending;
}

function keepSending(settings: Amqp1OutputOptions, context: ComponentContext): KeptOpen<SendingLink> {
  const targets = targetsOf(settings);
  return new KeptOpen<SendingLink>({
    name: "AMQP",
    context,
    async open() {
      const opened = await openLink(targets, (connection) =>
        connection.open_sender({ target: { address: settings.target_address } }),
      );
      return { ...opened, sending: new Sending(opened.link, opened.lost) };
    },
  });
}

/** The message format that the protocol itself defines. With it, the client accepts encoded messages. */
const messageFormat = 0;

/** A message to send, encoded, and what learns its outcome. */
interface Outgoing {
  readonly message: Message;
  readonly bytes: Buffer;
  readonly outcome: MessageOutcome;
}

const noBytes = Buffer.alloc(0);

/**
 * Sends messages on a link, until the broker has settled them. Messages without credit wait here, in order: the
 * client's own buffer is limited, and breaks when it is full.
 */
class Sending {
  readonly #sender: Sender;
  readonly #waiting = new Fifo<Outgoing>();
  readonly #underWay = new TransientMap<Delivery, Outgoing>();
  #isLost = false;

  /** `lost` resolves when the link is lost. */
  constructor(sender: Sender, lost: Promise<string>) {
    this.#sender = sender;
    sender.on("sendable", () => this.#pump());
    for (const [event, refusalOf] of outcomes) {
      sender.on(event, (context: EventContext) => this.#settle(context.delivery, refusalOf));
    }
    void lost.then(() => this.#lose());
  }

  /** Bytes of the largest message that the broker says it accepts: it ends the link over a larger one. */
  get largest(): number {
    // The client leaves numbers above 2^53 as bytes.
    const largest = Number(this.#sender.max_message_size);
    return largest > 0 ? largest : Number.POSITIVE_INFINITY;
  }

  /** Sends a message. Confirms its outcome once the broker has accepted it, else refuses it. */
  send(outgoing: Outgoing): void {
    if (this.#isLost) outgoing.outcome.refuse(failedMessage(outgoing.message, notConnected()));
    else {
      this.#waiting.push(outgoing);
      this.#pump();
    }
  }

  #pump(): void {
    while (this.#sender.sendable()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#underWay.set(this.#sender.send(next.bytes, undefined, messageFormat), next);
    }
  }

  #settle(delivery: Delivery | undefined, refusalOf: RefusalOf | undefined): void {
    const sent = delivery === undefined ? undefined : this.#underWay.get(delivery);
    if (delivery === undefined || sent === undefined) return;
    this.#underWay.delete(delivery);
    if (refusalOf === undefined) sent.outcome.confirm();
    else sent.outcome.refuse(failedMessage(sent.message, refusalOf(delivery, sent.message)));
    this.#pump();
  }

  #lose(): void {
    this.#isLost = true;
    for (const { outcome, message } of [...this.#underWay.values(), ...this.#waiting.splice(0)]) {
      outcome.refuse(
        failedMessage(message, new GatewayError(502, "The connection to the AMQP broker was lost")),
      );
    }
    this.#underWay.clear();
  }
}

/** Returns the failure of a message that the broker did not accept. */
type RefusalOf = (delivery: Delivery, message: Message) => GatewayError;

/** The outcomes of a message at the broker. The first one counts. */
const outcomes: readonly (readonly [event: string, refusalOf: RefusalOf | undefined])[] = [
  ["accepted", undefined],
  ["rejected", rejection],
  ["released", notAccepted],
  ["modified", notAccepted],
];

/**
 * Conditions of messages that the broker never accepts. It rejects others for a while, too: RabbitMQ those to a queue that is
 * full, without a condition.
 */
const unfitConditions: readonly unknown[] = [
  "amqp:link:message-size-exceeded",
  "amqp:decode-error",
  "amqp:invalid-field",
];

function rejection({ remote_state: state }: Delivery, message: Message): GatewayError {
  const condition: unknown = state?.error?.condition;
  const text = "The AMQP broker rejected the message";
  const described = typeof condition === "string" ? `${text} (${condition})` : text;
  return unfitConditions.includes(condition)
    ? unfitMessage(message, new GatewayError(502, described, { retryable: false }))
    : new GatewayError(502, described);
}

function notAccepted(): GatewayError {
  return new GatewayError(502, "The AMQP broker did not accept the message");
}

function tooLarge(): GatewayError {
  return unfitSize("The message is larger than the AMQP broker accepts");
}

/** Returns the failure of writes while there is no link. */
function notConnected(): GatewayError {
  return new GatewayError(502, "The AMQP broker is not connected");
}
