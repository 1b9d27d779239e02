// Event ids: a client that reconnects sends the id of the last event that it received.

import type { Message } from "../message/message.ts";
import { encodePositions, mostCharacters, type PartPosition, type Positions } from "../message/positions.ts";

/** Returns the oldest undelivered position of each part of the source, without the messages for which `isHanded` returns true. */
export type Undelivered = (isHanded: (position: PartPosition) => boolean) => Positions | undefined;

/** The least number of messages that are handed out between two checks of what the source has confirmed. */
const fewestToForget = 256;

/**
 * Event ids of messages that all clients get in the same order. A client that has a message has all messages before it. An
 * id names, for each part of the source, the oldest message that such a client may lack. Several messages that were made of
 * one source message count only together.
 */
export class EventIds {
  readonly #undelivered: Undelivered;
  /** The number of messages still to come for each position that they share. */
  readonly #expected = new Map<string, number>();
  /** By part: the offsets of messages in the queues of clients that the source has no confirmation for. */
  readonly #handed = new Map<string, Set<bigint>>();
  /** One function for all calls, so that sources can cache by its identity. */
  readonly #isHanded = ({ part, offset }: PartPosition) => this.#handed.get(part)?.has(offset) === true;
  #handedCount = 0;
  #forgetAt = fewestToForget;

  constructor(undelivered: Undelivered) {
    this.#undelivered = undelivered;
  }

  /** Announces a message. Call this for all messages of one write before the first `idAfter`. */
  expect({ position }: Message): void {
    if (position === undefined) return;
    const key = keyOf(position);
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + 1);
  }

  /**
   * Returns the id of the next message in order; `undefined` while the positions of the source are unknown, or if the source
   * has more parts than an id can hold.
   */
  idAfter({ position }: Message): string | undefined {
    if (position !== undefined) this.#hand(position);
    const undelivered = this.reached();
    if (undelivered === undefined) return undefined;
    if (this.#handedCount >= this.#forgetAt) this.#forget();
    const id = encodePositions(undelivered);
    return id.length > mostCharacters ? undefined : id;
  }

  /** Returns what the id of the newest message says: for each part, the oldest message that a client with it may lack. */
  reached(): Positions | undefined {
    return this.#undelivered(this.#isHanded);
  }

  #hand(position: PartPosition): void {
    const key = keyOf(position);
    const left = (this.#expected.get(key) ?? 1) - 1;
    if (left > 0) {
      this.#expected.set(key, left);
      return;
    }
    this.#expected.delete(key);
    const handed = this.#handed.get(position.part) ?? new Set();
    this.#handed.set(position.part, handed.add(position.offset));
    this.#handedCount += 1;
  }

  /** Forgets the offsets before the oldest one that the source itself waits for. */
  #forget(): void {
    const oldestOf = this.#undelivered(() => false);
    this.#handedCount = 0;
    for (const [part, handed] of this.#handed) {
      const oldest = oldestOf?.get(part) ?? 0n;
      for (const offset of handed) if (offset < oldest) handed.delete(offset);
      this.#handedCount += handed.size;
    }
    this.#forgetAt = Math.max(fewestToForget, 2 * this.#handedCount);
  }
}

function keyOf({ part, offset }: PartPosition): string {
  return `${offset} ${part}`;
}
