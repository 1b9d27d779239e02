import { ErrorWithSubackPacket, type IConnackPacket, type IPublishPacket, type MqttClient } from "mqtt";
import type { ComponentContext, Input, InputContext } from "../../component/component.ts";
import { createRedeliveryOfEach, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { LateAttributes, Message, type Metadata } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { splitCommas } from "../../text/trim.ts";
import { Acknowledgements, leaveUnacknowledged } from "./acknowledgements.ts";
import { type Arrival, Arrivals, Backpressure, payloadOf } from "./backpressure.ts";
import { connectMqtt, disconnectMqtt, settlesInFarewell } from "./client.ts";
import { mqttFailure, reasonText } from "./failures.ts";
import { type MqttInputOptions, mqttInputDefaults } from "./generated/input-options.ts";
import { type Quality, qualityOf } from "./grammar.ts";
import { requireVersion } from "./properties.ts";

const pauses = { first: 500, longest: 30_000 };

/** The subscription of an input. */
interface SubscriptionOptions {
  readonly topics: readonly string[];
  readonly qos: Quality;
  /** Aborted when nothing more is to be read. */
  readonly closing: AbortSignal;
}

/**
 * Subscribes now, and again whenever the broker reconnects without the session. Rejects with a `GatewayError` if the
 * broker refuses now. Later refusals are reported to operators, and retried until the broker grants the subscription.
 */
async function keepSubscribed(
  client: MqttClient,
  options: SubscriptionOptions,
  context: ComponentContext,
): Promise<void> {
  await subscribeOnce(client, options, context);
  let endRefusal: EndCondition | undefined;
  const refused = (reason: string) => {
    endRefusal ??= context.beginOutage?.(reason) ?? (() => undefined);
  };
  client.on("connect", (connack: IConnackPacket) => {
    // A session may exist without the subscription if it began while the broker refused.
    if (connack.sessionPresent && endRefusal === undefined) return;
    void subscribeAgain(client, options, context, refused).then((isGranted) => {
      if (!isGranted) return;
      endRefusal?.();
      endRefusal = undefined;
    });
  });
}

/** Subscribes now; rejects with a `GatewayError` if the broker refuses. */
async function subscribeOnce(
  client: MqttClient,
  { topics, qos }: Omit<SubscriptionOptions, "closing">,
  { log }: ComponentContext,
): Promise<void> {
  try {
    const granted = await client.subscribeAsync([...topics], { qos });
    const weaker = granted.filter((grant) => grant.qos < qos).map(({ topic }) => topic);
    if (weaker.length > 0)
      log.warn("MQTT grants a lower quality of service than requested", { topics: weaker });
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw mqttFailure(error, "The MQTT broker did not confirm the subscription");
    const message = `The MQTT broker refused the subscription: ${reasonText(refusal)}`;
    throw new GatewayError(502, message, { cause: error });
  }
}

/** Returns the broker's reason for refusing one of the topics. */
function refusalIn(error: unknown): number | undefined {
  if (!(error instanceof ErrorWithSubackPacket)) return undefined;
  // Despite the client's type, the packet is missing if the connection was lost first.
  const packet: ErrorWithSubackPacket["packet"] | undefined = error.packet;
  return packet?.granted.map(Number).find((code) => code >= 128);
}

/**
 * Returns whether the subscription was finally granted.
 * Gives up if the connection is lost: the next one starts again.
 */
async function subscribeAgain(
  client: MqttClient,
  options: SubscriptionOptions,
  context: ComponentContext,
  refused: (reason: string) => void,
): Promise<boolean> {
  const { stream } = client;
  const isOver = () => options.closing.aborted || !client.connected || client.stream !== stream;
  const backoff = createBackoff(pauses);
  while (!isOver()) {
    try {
      await subscribeOnce(client, options, context);
      return true;
    } catch (error) {
      if (isOver()) return false;
      const { message } = toGatewayError(error, 502, "The subscription to MQTT failed");
      refused(message);
      context.log.warn("the MQTT subscription failed, retrying", { reason: message });
      await pause(backoff.next(), options.closing);
    }
  }
  return false;
}

/** Largest number of deliveries in progress; announced to brokers of MQTT 5. */
const inFlightLimit = 1024;

/** Largest number of waiting messages of quality of service 0. The other messages wait at the broker. */
const heldLimit = 65_536;

/**
 * Largest total size of messages in progress and waiting, in bytes;
 * further messages of quality of service 0 are dropped.
 */
const bytesLimit = 64 * 1024 * 1024;

/** Bytes of such messages above which reading stops after a message that the broker keeps until it is acknowledged. */
const readAhead = 4 * 1024 * 1024;

/** Approximate memory of a held message in addition to its content, in bytes. */
const overhead = 1024;

const sourceOf = /* @__PURE__ */ sourceFrom({
  topic: "mqtt_topic",
  qos: "mqtt_qos",
  packetId: "mqtt_message_id",
});

/**
 * Reads messages of topics. A message is acknowledged to the broker once it is confirmed, and failed deliveries are
 * retried until then, so that the broker's own limit of unacknowledged messages holds back further ones.
 */
export function mqttInput(options: MqttInputOptions): Input {
  const settings = { ...mqttInputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    sequenceOf: ({ metadata }) => ({ name: String(metadata.get("mqtt_topic")), isKey: false }),
    ...(keepsSession(settings) && { prepare: (context) => prepare(settings, context) }),
    async start(context) {
      reading = new Reading(settings, context);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

type Settings = MqttInputOptions & Required<Pick<MqttInputOptions, keyof typeof mqttInputDefaults>>;

/** Whether the broker keeps the session, so that a later connection can resume it by its client id. */
function keepsSession({
  clean_session,
  dynamic_client_id_suffix,
  protocol_version,
  session_expiry,
}: Settings) {
  const expires = protocol_version === 5 && session_expiry === 0;
  return !clean_session && dynamic_client_id_suffix === undefined && !expires;
}

/**
 * Starts the session and subscribes.
 * Does not acknowledge messages that arrive meanwhile, so that the session keeps them.
 */
async function prepare(settings: Settings, context: ComponentContext): Promise<void> {
  requireVersion(settings, ["session_expiry"]);
  const client = await connectMqtt(settings, context, leaveUnacknowledged);
  try {
    await subscribeOnce(client, { topics: topicsOf(settings), qos: qualityOf(settings.qos) }, context);
  } finally {
    await disconnectMqtt(client);
  }
}

function topicsOf({ topics }: Settings): string[] {
  return topics.flatMap(splitCommas);
}

/** One run of an input, from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #context: InputContext;
  readonly #closing = new AbortController();
  readonly #window: DeliveryWindow<Arrival>;
  #arrivals: Arrivals | undefined;
  #acknowledgements: Acknowledgements | undefined;
  #client: MqttClient | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext) {
    this.#settings = settings;
    this.#context = context;
    const deliverMessages = createRedeliveryOfEach(withReplay(context, settings.auto_replay_nacks), sourceOf);
    this.#window = new DeliveryWindow({
      limit: inFlightLimit,
      collectors: context.collectors,
      // The client sends the limit to a broker of MQTT 5. An older one has a limit of its own, which is not known here.
      isSourceLimited: settings.protocol_version === 5 && qualityOf(settings.qos) > 0,
      held: heldLimit,
      bytes: bytesLimit,
      ahead: readAhead,
      sizeOf: ({ packet }) => packet.payload.length + overhead,
      deliver: (arrivals, settle) => {
        const messages = arrivals.map(({ packet }) => messageOf(packet));
        deliverMessages(messages, this.#closing.signal, (index, isConfirmed) => {
          const arrival = arrivals[index];
          if (arrival !== undefined) this.#arrivals?.settle(arrival, isConfirmed);
          settle(index);
        });
      },
      onDropped: (count) =>
        context.log.warn("the stream is too slow for MQTT, messages of QoS 0 are dropped", { count }),
    });
  }

  async start(): Promise<void> {
    requireVersion(this.#settings, ["session_expiry"]);
    const connection = { ...this.#settings, receiveMaximum: inFlightLimit };
    const client = await connectMqtt(connection, this.#context, (created) => this.#receive(created));
    this.#client = client;
    try {
      const subscription = {
        topics: topicsOf(this.#settings),
        qos: qualityOf(this.#settings.qos),
        closing: this.#closing.signal,
      };
      await keepSubscribed(client, subscription, this.#context);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    // Later messages are ignored: a kept session redelivers them, other sessions do not have to.
    abort(this.#closing);
    if (this.#settings.clean_session && client.connected) {
      // The connection may just have been lost, or the broker may no longer answer.
      await settlesInFarewell(client, client.unsubscribeAsync(topicsOf(this.#settings)));
    }
    await this.#window.idle();
    const acknowledged = this.#acknowledgements?.whenRead();
    if (acknowledged !== undefined) await settlesInFarewell(client, acknowledged);
    await disconnectMqtt(client);
  }

  #receive(client: MqttClient): void {
    const backpressure = new Backpressure(client);
    this.#closing.signal.addEventListener("abort", () => backpressure.end(), { once: true });
    const acknowledgements = new Acknowledgements(client, (next) => backpressure.proceed(next));
    this.#acknowledgements = acknowledgements;
    const arrivals = new Arrivals(client);
    this.#arrivals = arrivals;
    client.on("packetreceive", (packet) => {
      if (packet.cmd !== "publish" || this.#closing.signal.aborted) return;
      const arrival = arrivals.take(packet, acknowledgements.expect(packet));
      if (arrival === undefined) return;
      this.#window.take(arrival, packet.qos === 0);
      if (packet.qos > 0 && !this.#window.hasRoom) backpressure.begin(this.#window.room());
    });
  }
}

/** Converts a packet to a message. */
function messageOf(packet: IPublishPacket): Message {
  return Message.withAttributes(payloadOf(packet), new PacketAttributes(packet));
}

/** The metadata of a message: the properties of MQTT 5; `mqtt_*` names override them. */
class PacketAttributes extends LateAttributes {
  readonly #packet: IPublishPacket;

  constructor(packet: IPublishPacket) {
    super();
    this.#packet = packet;
  }

  protected collect(): Metadata {
    const { topic, qos, retain, dup, messageId, properties } = this.#packet;
    const metadata = new Map<string, Value>();
    addProperties(metadata, properties ?? {});
    metadata.set("mqtt_topic", topic);
    metadata.set("mqtt_qos", qos);
    metadata.set("mqtt_retained", retain);
    metadata.set("mqtt_duplicate", dup);
    metadata.set("mqtt_message_id", messageId ?? 0);
    return metadata;
  }
}

/** Adds user properties under their own names, the first value of each name, and further properties. */
function addProperties(
  metadata: Map<string, Value>,
  properties: NonNullable<IPublishPacket["properties"]>,
): void {
  for (const [name, value] of Object.entries(properties.userProperties ?? {})) {
    metadata.set(name, typeof value === "string" ? value : (value[0] ?? ""));
  }
  const { contentType, responseTopic, correlationData } = properties;
  if (contentType !== undefined) metadata.set("Content-Type", contentType);
  if (responseTopic !== undefined) metadata.set("mqtt_response_topic", responseTopic);
  if (correlationData !== undefined) metadata.set("mqtt_correlation_data", correlationData.toString());
}
