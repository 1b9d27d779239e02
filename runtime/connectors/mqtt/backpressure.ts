import type { IConnackPacket, IPublishPacket, MqttClient } from "mqtt";

/** A message that is being delivered, and what to do once it is confirmed. */
export interface Arrival {
  readonly packet: IPublishPacket;
  acknowledge(): void;
}

/**
 * Messages by the identifiers that the broker gave them, so that what it sends again after a loss is not delivered
 * twice. With quality of service 2 that holds until the broker has let go of the message, whatever is lost between.
 */
export class Arrivals {
  readonly #underWay = new Map<number, Arrival>();
  /** Delivered with quality of service 2, and not released by the broker yet. */
  readonly #delivered = new Set<number>();

  constructor(client: MqttClient) {
    client.on("packetreceive", (packet) => {
      if (packet.cmd === "pubrel" && packet.messageId !== undefined) this.#delivered.delete(packet.messageId);
    });
    client.on("connect", ({ sessionPresent }: IConnackPacket) => {
      if (sessionPresent) return;
      this.#underWay.clear(); // identifiers of a session mean nothing in another one
      this.#delivered.clear();
    });
  }

  /** What is to be delivered; `undefined` for a repetition, whose acknowledgement takes the place of the first. */
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

  /** The arrival is confirmed, or given up without an acknowledgement. */
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

/** The content of a message. */
export function payloadOf({ payload }: IPublishPacket): Buffer {
  return typeof payload === "string" ? Buffer.from(payload) : payload;
}

/** Reading that waits. */
interface Hold {
  readonly pings: NodeJS.Timeout | undefined;
  /** Lets the client read its next packet. */
  proceed?: () => void;
}

/**
 * Leaves what cannot be held to the network and the broker, by reading nothing for a while. A broker keeps to its limit of
 * unconfirmed messages as a rule; Mosquitto 2.0.11 goes far beyond it after a reconnection.
 *
 * Answers to pings are not read meanwhile either, so that the client would take the broker for dead: it is kept from
 * waiting for them, and the broker is sent pings, for which it holds the connection to be alive.
 */
export class Backpressure {
  readonly #client: MqttClient;
  #hold: Hold | undefined;
  /** As `performance.now()` has it. */
  #lastPing = Number.NEGATIVE_INFINITY;

  constructor(client: MqttClient) {
    this.#client = client;
    client.on("close", () => this.end());
  }

  /** Nothing is read on this connection after the present packet until `room` resolves. */
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

  /** Reading goes on, whether there is room or not. */
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
   * Answers wait behind all that is to be read, also where reading stops only for moments: each of them begins with this,
   * so that the client never gets to wait for one.
   */
  #keepAlive(): void {
    const now = performance.now();
    if (this.#pingPeriod === 0 || now - this.#lastPing < this.#pingPeriod) return;
    this.#lastPing = now;
    this.#client.sendPing();
    this.#client.reschedulePing(true);
  }

  /** Milliseconds; 0 where there is no keep-alive. */
  get #pingPeriod(): number {
    return (this.#client.keepalive * 1000) / 2;
  }
}
