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
