import type { IConnackPacket, IPublishPacket, MqttClient } from "mqtt";
import { TransientMap } from "../../concurrency/transient.ts";

/** A message that is being delivered, and the function to call once it is confirmed. */
export interface Arrival {
  readonly packet: IPublishPacket;
  acknowledge(): void;
}

/**
 * Tracks messages by the identifiers that the broker assigned, so that messages which it repeats after a loss are not
 * delivered twice. With quality of service 2 this holds until the broker has released the message, even if the
 * connection is lost in between.
 */
export class Arrivals {
  readonly #underWay = new TransientMap<number, Arrival>();
  /** Identifiers of delivered messages of quality of service 2 that the broker has not released yet. */
  readonly #delivered = new Set<number>();

  constructor(client: MqttClient) {
    client.on("packetreceive", (packet) => {
      if (packet.cmd === "pubrel" && packet.messageId !== undefined) this.#delivered.delete(packet.messageId);
    });
    client.on("connect", ({ sessionPresent }: IConnackPacket) => {
      if (sessionPresent) return;
      this.#underWay.clear(); // identifiers of one session have no meaning in another
      this.#delivered.clear();
    });
  }

  /** Returns the arrival to deliver; `undefined` for a repetition, whose acknowledgement replaces the former one. */
  take(packet: IPublishPacket, acknowledge: () => void): Arrival | undefined {
    const arrival: Arrival = { packet, acknowledge };
    const { messageId, qos, dup } = packet;
    if (qos === 0 || messageId === undefined) return arrival;
    if (dup && this.#delivered.has(messageId)) {
      acknowledge();
      return undefined;
    }
    const known = this.#underWay.get(messageId);
    if (dup && known !== undefined && isSame(known.packet, packet)) {
      known.acknowledge = acknowledge;
      return undefined;
    }
    this.#delivered.delete(messageId);
    this.#underWay.set(messageId, arrival);
    return arrival;
  }

  /** Records that an arrival is confirmed, or given up without an acknowledgement. */
  settle(arrival: Arrival, confirmed: boolean): void {
    const { messageId, qos } = arrival.packet;
    if (messageId !== undefined && this.#underWay.get(messageId) === arrival) {
      this.#underWay.delete(messageId);
      if (confirmed && qos === 2) this.#delivered.add(messageId);
    }
    if (confirmed) arrival.acknowledge();
  }
}

function isSame(one: IPublishPacket, other: IPublishPacket): boolean {
  return one.topic === other.topic && payloadOf(one).equals(payloadOf(other));
}

/** Returns the content of a message. */
export function payloadOf({ payload }: IPublishPacket): Buffer {
  return typeof payload === "string" ? Buffer.from(payload) : payload;
}

/** A pause in reading. */
interface Hold {
  readonly pings: NodeJS.Timeout | undefined;
  /** Lets the client read its next packet. */
  proceed?: () => void;
}

/**
 * Pauses reading while there is no room for messages, so that they wait in the network and at the broker. Brokers
 * usually respect their limit of unconfirmed messages; Mosquitto 2.0.11 far exceeds it after a reconnection.
 *
 * During a pause, ping responses are not read either, and the client would consider the broker dead. Therefore the
 * client is kept from waiting for them, and pings are sent so that the broker considers the connection alive.
 */
export class Backpressure {
  readonly #client: MqttClient;
  #hold: Hold | undefined;
  /** As returned by `performance.now()`. */
  #lastPing = Number.NEGATIVE_INFINITY;

  constructor(client: MqttClient) {
    this.#client = client;
    client.on("close", () => this.end());
  }

  /** Reads nothing on this connection after the current packet until `room` resolves. */
  begin(room: Promise<void>): void {
    if (this.#hold !== undefined) return;
    this.#keepAlive();
    const hold: Hold = { pings: this.#keepingAlive() };
    this.#hold = hold;
    void room.then(() => {
      if (this.#hold === hold) this.end();
    });
  }

  /** Calls `next`, which lets the client read its next packet, now or when there is room. */
  proceed(next: () => void): void {
    if (this.#hold === undefined) next();
    else this.#hold.proceed = next;
  }

  /** Resumes reading, whether there is room or not. */
  end(): void {
    const hold = this.#hold;
    this.#hold = undefined;
    clearInterval(hold?.pings);
    hold?.proceed?.();
  }

  #keepingAlive(): NodeJS.Timeout | undefined {
    const period = this.#pingPeriod;
    return period === 0 ? undefined : setInterval(() => this.#keepAlive(), period);
  }

  /**
   * Sends a ping if one is due, and resets the client's own ping timer. Called at the start of every pause, even a
   * short one: ping responses wait behind all unread data, so the client must never wait for one.
   */
  #keepAlive(): void {
    const now = performance.now();
    if (this.#pingPeriod === 0 || now - this.#lastPing < this.#pingPeriod) return;
    this.#lastPing = now;
    this.#client.sendPing();
    this.#client.reschedulePing(true);
  }

  /** Milliseconds; 0 without keep-alive. */
  get #pingPeriod(): number {
    return (this.#client.keepalive * 1000) / 2;
  }
}
