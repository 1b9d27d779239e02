import type { MqttClient } from "mqtt";
import type { Logger } from "../../log.ts";

/** What an overflow is told of its reader. */
export interface OverflowOptions {
  readonly log: Logger;
  /** Resolves when everything that was taken is confirmed. */
  idle(): Promise<void>;
}

/**
 * Messages of a broker that sends more than it may have under way, as Mosquitto does after a reconnection: what cannot be
 * held is left unacknowledged. When all that was taken is confirmed, the connection is given up, and the broker sends the
 * rest again, in order, on the next one. Only for sessions that the broker keeps.
 */
export class Overflow {
  readonly #client: MqttClient;
  readonly #options: OverflowOptions;
  #isRunning = false;

  constructor(client: MqttClient, options: OverflowOptions) {
    this.#client = client;
    this.#options = options;
    client.on("close", () => {
      this.#isRunning = false;
    });
  }

  /** Whether what comes on this connection is left to the next one. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  begin(): void {
    this.#isRunning = true;
    this.#options.log.warn("the MQTT broker sends more than can be held, it is asked for the rest later");
    const { stream } = this.#client;
    void this.#options.idle().then(() => {
      // The last acknowledgements are still on their way.
      if (this.#client.stream === stream) stream.end();
    });
  }
}
