import type { IConnackPacket, MqttClient } from "mqtt";
import { GatewayError } from "../../errors.ts";
import { mqttFailure } from "./client.ts";

/** How messages are published. */
export interface PublicationOptions {
  readonly qos: number;
  readonly retained: boolean;
  /** Milliseconds a message may take, waiting included. */
  readonly write_timeout: number;
}

interface Publication {
  readonly topic: string;
  readonly payload: Uint8Array;
  messageId: number | undefined;
  settle(error: GatewayError | undefined): void;
}

/** Messages under way at once; a broker that speaks MQTT 5 may ask for fewer. */
const inFlightLimit = 64;

/**
 * With quality of service 2 as many as Mosquitto takes by default. Version 2.0.11 confirms more to a client
 * of 3.1.1, and then hands them to nobody.
 */
const exactlyOnceLimit = 20;

/**
 * Messages on their way to the broker. The client itself would keep what it cannot send and send it after
 * a reconnection, without a bound and long after the write has failed: so nothing is given to it while
 * there is no connection, and what a lost connection left unconfirmed is taken back and fails.
 */
export class Publications {
  readonly #client: MqttClient;
  readonly #options: PublicationOptions;
  readonly #ownLimit: number;
  #limit: number;
  #waiting: Publication[] = [];
  readonly #inFlight = new Set<Publication>();
  #idle: (() => void)[] = [];

  constructor(client: MqttClient, options: PublicationOptions) {
    this.#client = client;
    this.#options = options;
    this.#ownLimit = options.qos === 2 ? exactlyOnceLimit : inFlightLimit;
    this.#limit = this.#ownLimit;
    client.on("connect", (connack: IConnackPacket) => {
      this.#limit = Math.min(this.#ownLimit, connack.properties?.receiveMaximum ?? this.#ownLimit);
      this.#pump();
    });
    client.on("close", () => this.#failInFlight());
  }

  /** Resolves once the broker has the message; rejects with a `GatewayError`. */
  publish(topic: string, payload: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const publication: Publication = {
        topic,
        payload,
        messageId: undefined,
        settle: (error) => {
          clearTimeout(timer);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      const timer = setTimeout(() => this.#timeOut(publication), this.#options.write_timeout);
      this.#waiting.push(publication);
      this.#pump();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    while (this.#client.connected && this.#inFlight.size < this.#limit) {
      const publication = this.#waiting.shift();
      if (publication === undefined) return;
      this.#send(publication);
    }
  }

  #send(publication: Publication): void {
    this.#inFlight.add(publication);
    const { qos: wanted, retained: retain } = this.#options;
    const qos = wanted === 0 || wanted === 2 ? wanted : 1;
    this.#client.publish(publication.topic, asBuffer(publication.payload), { qos, retain }, (error) => {
      const failure = error ? mqttFailure(error, "The MQTT broker did not take the message") : undefined;
      this.#finish(publication, failure);
    });
    if (qos > 0) publication.messageId = this.#client.getLastMessageId();
  }

  /** The first outcome counts: the client calls back once more for what it had to forget. */
  #finish(publication: Publication, failure: GatewayError | undefined): void {
    if (!this.#inFlight.delete(publication)) return;
    publication.settle(failure);
    this.#pump();
    this.#tellIdle();
  }

  #timeOut(publication: Publication): void {
    const failure = new GatewayError(502, "The MQTT broker did not confirm the message in time");
    const position = this.#waiting.indexOf(publication);
    if (position >= 0) {
      this.#waiting.splice(position, 1);
      publication.settle(failure);
      this.#tellIdle();
    } else {
      this.#finish(publication, failure);
      this.#forget(publication);
    }
  }

  #failInFlight(): void {
    for (const publication of [...this.#inFlight]) {
      this.#finish(publication, new GatewayError(502, "The connection to the MQTT broker was lost"));
      this.#forget(publication);
    }
  }

  #forget({ messageId }: Publication): void {
    if (messageId !== undefined) this.#client.removeOutgoingMessage(messageId);
  }

  #tellIdle(): void {
    if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.length === 0;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
