// Noticing that another client connects with the same client id.

import type { Logger } from "../../process/log.ts";

/** MQTT 5: another client has connected with the client id (section 3.14.2.1). */
export const sessionTakenOver = 0x8e;

/** Milliseconds after which a connection that the broker closes was not closed for being made. */
const shortest = 5_000;

/** Short connections one after the other that are no chance. MQTT 3.1.1 has no other sign of a rival. */
const fewestShort = 3;

/** How a connection ended that the broker closed. */
export interface Ending {
  /** Milliseconds since it was accepted. */
  readonly lived: number;
  /** Whether the broker says that another client has the session now. */
  readonly isTakenOver: boolean;
}

/**
 * What connections that ended say of another client of the same id. Such clients disconnect each other without end, a second
 * or so after each connection: the log has that once, then after 10, 100, … connections, other lines only at level `debug`.
 */
export class Rivals {
  readonly #clientId: string;
  readonly #log: Logger;
  #short = 0;
  #losses = 0;

  constructor(clientId: string, log: Logger) {
    this.#clientId = clientId;
    this.#log = log;
  }

  /** Whether connections are lost to another client, as far as is known. */
  get areThere(): boolean {
    return this.#losses > 0;
  }

  /** Notes how a connection ended. Gives why, for operators, where another client seems to be the reason. */
  note({ lived, isTakenOver }: Ending): string | undefined {
    this.#short = lived < shortest ? this.#short + 1 : 0;
    if (!isTakenOver && this.#short < fewestShort) {
      if (this.#short === 0) this.#losses = 0;
      return undefined;
    }
    this.#losses += 1;
    const reason = isTakenOver
      ? `another client has connected with the client id \`${this.#clientId}\``
      : `the broker closes each connection at once, as it does when another client has the client id \`${this.#clientId}\``;
    const level = Number.isInteger(Math.log10(this.#losses)) ? "warn" : "debug";
    this.#log[level]("MQTT connection lost to another client, reconnecting", {
      reason,
      lost: this.#losses,
      remedy: "give each client a `client_id` of its own, or set `dynamic_client_id_suffix: nanoid`",
    });
    return reason;
  }
}
