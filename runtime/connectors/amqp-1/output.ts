import type { Delivery, EventContext, Sender } from "rhea";
import rhea from "rhea";
import type { ComponentContext, Output } from "../../component/component.ts";
import { KeptOpen } from "../../component/kept-open.ts";
import { Fifo } from "../../concurrency/fifo.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { TransientMap } from "../../concurrency/transient.ts";
import { GatewayError } from "../../errors.ts";
import { unfit, unfitSize, unfitText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import { printJson } from "../../message/json.ts";
import type { Batch } from "../../message/message.ts";
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
    const messages = prepareAll(batch, (_, index) => makeMessage(batch, index));
    for (const outcome of await Promise.allSettled(messages.map((message) => sending.send(message)))) {
      if (outcome.status === "rejected") throw outcome.reason;
    }
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

interface Waiting {
  readonly message: Buffer;
  settle(failure: GatewayError | undefined): void;
}

/**
 * Sends messages on a link, until the broker has settled them. Messages without credit wait here, in order: the
 * client's own buffer is limited, and breaks when it is full.
 */
class Sending {
  readonly #sender: Sender;
  readonly #waiting = new Fifo<Waiting>();
  readonly #underWay = new TransientMap<Delivery, Waiting>();
  #isLost = false;

  /** `lost` resolves when the link is lost. */
  constructor(sender: Sender, lost: Promise<string>) {
    this.#sender = sender;
    sender.on("sendable", () => this.#pump());
    for (const [event, failure] of outcomes) {
      sender.on(event, (context: EventContext) => this.#settle(context.delivery, failure));
    }
    void lost.then(() => this.#lose());
  }

  /** Sends an encoded message. Resolves once the broker has accepted it; rejects with a `GatewayError`. */
  send(message: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (failure: GatewayError | undefined) =>
        failure === undefined ? resolve() : reject(failure);
      if (this.#isLost) settle(notConnected());
      else {
        this.#waiting.push({ message, settle });
        this.#pump();
      }
    });
  }

  #pump(): void {
    while (this.#sender.sendable()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#underWay.set(this.#sender.send(next.message, undefined, messageFormat), next);
    }
  }

  #settle(delivery: Delivery | undefined, failure: (delivery: Delivery) => GatewayError | undefined): void {
    const waiting = delivery === undefined ? undefined : this.#underWay.get(delivery);
    if (delivery === undefined || waiting === undefined) return;
    this.#underWay.delete(delivery);
    waiting.settle(failure(delivery));
    this.#pump();
  }

  #lose(): void {
    this.#isLost = true;
    for (const { settle } of [...this.#underWay.values(), ...this.#waiting.splice(0)]) {
      settle(new GatewayError(502, "The connection to the AMQP broker was lost"));
    }
    this.#underWay.clear();
  }
}

/** The outcomes of a message at the broker, and what each means for the write. The first one counts. */
const outcomes = [
  ["accepted", () => undefined],
  ["rejected", refused],
  ["released", () => new GatewayError(502, "The AMQP broker did not accept the message")],
  ["modified", () => new GatewayError(502, "The AMQP broker did not accept the message")],
] as const;

function refused({ remote_state: state }: Delivery): GatewayError {
  const condition: unknown = state?.error?.condition;
  const message = "The AMQP broker rejected the message";
  return new GatewayError(502, typeof condition === "string" ? `${message} (${condition})` : message);
}

/** Returns the failure of writes while there is no link. */
function notConnected(): GatewayError {
  return new GatewayError(502, "The AMQP broker is not connected");
}
