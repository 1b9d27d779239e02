import type { IPublishPacket, MqttClient } from "mqtt";
import { splitCommas } from "../../commas.ts";
import type { Input, InputContext } from "../../component.ts";
import { DeliveryWindow } from "../../delivery-window.ts";
import { GatewayError } from "../../errors.ts";
import { Message } from "../../message.ts";
import { createRedelivery } from "../../redelivery.ts";
import type { Value } from "../../value.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { connectMqtt, disconnectMqtt, mqttFailure } from "./client.ts";
import { type MqttInputOptions, mqttInputDefaults } from "./generated/input-options.ts";

/** Deliveries under way at once. */
const inFlightLimit = 1024;

/** Messages of quality of service 0 held ahead of them; the broker waits for the others by itself. */
const heldLimit = 65_536;

/** Bytes of the messages under way and held; beyond this, new ones of quality of service 0 are dropped. */
const bytesLimit = 64 * 1024 * 1024;

/**
 * Reads messages of topics. A message is acknowledged to the broker once it is confirmed; a failed
 * delivery is repeated until then, so that the broker's own limit of unacknowledged messages holds
 * further ones back.
 */
export function mqttInput(options: MqttInputOptions): Input {
  let reading: Reading | undefined;
  return {
    async start(context) {
      reading = new Reading({ ...mqttInputDefaults, ...options }, context);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

type Settings = MqttInputOptions & Required<Pick<MqttInputOptions, keyof typeof mqttInputDefaults>>;

/** A message that is being delivered, and what to do once it is confirmed. */
interface Arrival {
  readonly packet: IPublishPacket;
  acknowledge(): void;
}

/** One input from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #context: InputContext;
  readonly #closing = new AbortController();
  readonly #window: DeliveryWindow<Arrival>;
  /** Deliveries under way by identifier: what a broker sends again after a loss is not delivered twice. */
  readonly #underWay = new Map<number, Arrival>();
  #acknowledgements: Acknowledgements | undefined;
  #client: MqttClient | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, context: InputContext) {
    this.#settings = settings;
    this.#context = context;
    const redelivery = createRedelivery(context);
    this.#window = new DeliveryWindow({
      limit: inFlightLimit,
      held: heldLimit,
      bytes: bytesLimit,
      sizeOf: ({ packet }) => packet.payload.length,
      deliver: async (arrival) => {
        const delivered = await redelivery.deliver([messageOf(arrival.packet)], this.#closing.signal);
        if (delivered !== undefined) arrival.acknowledge();
        this.#forget(arrival);
      },
      onDropped: (count) =>
        context.log.warn("the stream is too slow for MQTT, messages of QoS 0 are dropped", { count }),
    });
  }

  async start(): Promise<void> {
    const client = await connectMqtt(this.#settings, this.#context, (created) => {
      this.#acknowledgements = new Acknowledgements(created);
      created.on("packetreceive", (packet) => {
        if (packet.cmd === "publish") this.#take(packet);
      });
    });
    this.#client = client;
    try {
      await this.#subscribe(client);
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
    // What comes after this is not taken: a kept session sends it again, for another nobody has to keep it.
    this.#closing.abort();
    if (this.#settings.clean_session && client.connected) {
      await client.unsubscribeAsync(this.#topics()).catch(() => undefined); // the connection may just be lost
    }
    await this.#window.idle();
    await disconnectMqtt(client);
  }

  async #subscribe(client: MqttClient): Promise<void> {
    const qos = this.#settings.qos === 0 || this.#settings.qos === 2 ? this.#settings.qos : 1;
    try {
      const granted = await client.subscribeAsync(this.#topics(), { qos });
      if (granted.every((grant) => grant.qos < 128)) return;
    } catch (error) {
      throw mqttFailure(error, "The MQTT broker did not confirm the subscription");
    }
    throw new GatewayError(502, "The MQTT broker refused the subscription");
  }

  #topics(): string[] {
    return this.#settings.topics.flatMap(splitCommas);
  }

  #take(packet: IPublishPacket): void {
    if (this.#closing.signal.aborted) return;
    const acknowledge = this.#acknowledgements?.expect(packet) ?? (() => undefined);
    const known = packet.messageId === undefined ? undefined : this.#underWay.get(packet.messageId);
    if (known !== undefined && packet.dup && isSame(known.packet, packet)) {
      known.acknowledge = acknowledge;
      return;
    }
    const arrival: Arrival = { packet, acknowledge };
    if (packet.qos > 0 && packet.messageId !== undefined) this.#underWay.set(packet.messageId, arrival);
    this.#window.take(arrival, packet.qos === 0);
  }

  #forget(arrival: Arrival): void {
    const { messageId } = arrival.packet;
    if (messageId !== undefined && this.#underWay.get(messageId) === arrival)
      this.#underWay.delete(messageId);
  }
}

function isSame(one: IPublishPacket, other: IPublishPacket): boolean {
  return one.topic === other.topic && payloadOf(one).equals(payloadOf(other));
}

function payloadOf({ payload }: IPublishPacket): Buffer {
  return typeof payload === "string" ? Buffer.from(payload) : payload;
}

/** User properties of MQTT 5 become metadata, the first of a name where there are several. */
function messageOf(packet: IPublishPacket): Message {
  const metadata = new Map<string, Value>();
  for (const [name, value] of Object.entries(packet.properties?.userProperties ?? {})) {
    metadata.set(name, typeof value === "string" ? value : (value[0] ?? ""));
  }
  const contentType = packet.properties?.contentType;
  if (contentType !== undefined) metadata.set("Content-Type", contentType);
  metadata.set("mqtt_topic", packet.topic);
  metadata.set("mqtt_qos", packet.qos);
  metadata.set("mqtt_retained", packet.retain);
  metadata.set("mqtt_duplicate", packet.dup);
  metadata.set("mqtt_message_id", packet.messageId ?? 0);
  return Message.fromBytes(payloadOf(packet), metadata);
}
