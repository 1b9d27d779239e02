// Event ids: a client that reconnects sends the id of the last event that it received.

import type { Message } from "../message/message.ts";
import { mostCharacters, type PartPosition, PositionEncoder, type Positions } from "../message/positions.ts";

/** Returns the oldest undelivered position of each part of the source, without the messages for which `isHanded` returns true. */
export type Undelivered = (isHanded: (position: PartPosition) => boolean) => Positions | undefined;

/** The least number of messages that are handed out between two checks of what the source has confirmed. */
const fewestToForget = 256;

/** The messages of one part of the source, by their offsets. */
interface Part {
  /** The number of messages still to come for a position that they share. */
  readonly expected: Map<bigint, number>;
  /** Messages in the queues of clients that the source has no confirmation for. */
  readonly handed: Set<bigint>;
}

/**
 * Event ids of messages that all clients get in the same order. A client that has a message has all messages before it. An
 * id names, for each part of the source, the oldest message that such a client may lack. Several messages that were made of
 * one source message count only together.
 */
export class EventIds {
  readonly #undelivered: Undelivered;
  readonly #parts = new Map<string, Part>();
  readonly #encoder = new PositionEncoder();
  /** The same function until messages are taken back, so that sources can cache by its identity. */
  #isHanded = this.#createIsHanded();
  #handedCount = 0;
  #forgetAt = fewestToForget;

  constructor(undelivered: Undelivered) {
    this.#undelivered = undelivered;
  }

  /** Announces a message. Call this for all messages of one write before the first `idAfter`. */
  expect({ position }: Message): void {
    if (position === undefined) return;
    const { expected } = this.#partOf(position);
    expected.set(position.offset, (expected.get(position.offset) ?? 0) + 1);
  }

  /**
   * Returns the id of the next message in order; `undefined` while the positions of the source are unknown, or if the source
   * has more parts than an id can hold.
   */
  idAfter(message: Message): string | undefined {
    this.pass(message);
    const undelivered = this.reached();
    if (undelivered === undefined) return undefined;
    const id = this.#encoder.encode(undelivered);
    return id.length > mostCharacters ? undefined : id;
  }

  /** Counts the next message in order, as `idAfter`, for clients that take no ids. */
  pass({ position }: Message): void {
    if (position !== undefined) this.#hand(position);
    if (this.#handedCount >= this.#forgetAt) this.#forget();
  }

  /** Takes messages back that no client has received. Each gets its id from `idAfter`, again in order. */
  takeBack(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.position === undefined) continue;
      this.expect(message);
      if (this.#partOf(message.position).handed.delete(message.position.offset)) this.#handedCount -= 1;
    }
    this.#isHanded = this.#createIsHanded();
  }

  /** Returns what the id of the newest message says: for each part, the oldest message that a client with it may lack. */
  reached(): Positions | undefined {
    return this.#undelivered(this.#isHanded);
  }

  #createIsHanded(): (position: PartPosition) => boolean {
    return ({ part, offset }) => this.#parts.get(part)?.handed.has(offset) === true;
  }

  #hand(position: PartPosition): void {
    const { offset } = position;
    const { expected, handed } = this.#partOf(position);
    const left = (expected.get(offset) ?? 1) - 1;
    if (left > 0) {
      expected.set(offset, left);
      return;
    }
    expected.delete(offset);
    handed.add(offset);
    this.#handedCount += 1;
  }

  #partOf({ part }: PartPosition): Part {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const added: Part = { expected: new Map(), handed: new Set() };
    this.#parts.set(part, added);
    return added;
  }

  /** Forgets the offsets before the oldest one that the source itself waits for. */
  #forget(): void {
    const oldestOf = this.#undelivered(() => false);
    this.#handedCount = 0;
    for (const [part, { handed }] of this.#parts) {
      const oldest = oldestOf?.get(part) ?? 0n;
      for (const offset of handed) if (offset < oldest) handed.delete(offset);
      this.#handedCount += handed.size;
    }
    this.#forgetAt = Math.max(fewestToForget, 2 * this.#handedCount);
  }
}
