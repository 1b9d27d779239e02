import type { MqttClient } from "mqtt";

/** Milliseconds of a second: the keep-alive is counted in seconds. */
const second = 1000;

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

  constructor(client: MqttClient) {
    this.#client = client;
    client.on("close", () => this.end());
  }

  /** Nothing is read on this connection after the present packet until `room` resolves. */
  begin(room: Promise<void>): void {
    if (this.#hold !== undefined) return;
    const hold: Hold = { pings: this.#keepAlive() };
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

  #keepAlive(): NodeJS.Timeout | undefined {
    const client = this.#client;
    if (client.keepalive === 0) return undefined;
    return setInterval(
      () => {
        client.sendPing();
        client.reschedulePing(true);
      },
      (client.keepalive * second) / 2,
    );
  }
}
