// The ids of events: by one a client that comes back says what it has.

import type { Message } from "../message/message.ts";
import { encodePositions, mostCharacters, type PartPosition, type Positions } from "../message/positions.ts";

/** The oldest of each part that is not delivered yet, but for what `isHanded` says of. */
export type Undelivered = (isHanded: (position: PartPosition) => boolean) => Positions | undefined;

/** So many messages at least are handed out before it is looked which of them the source is done with. */
const fewestToForget = 256;

/**
 * Ids of messages that clients get in one order. A client with a message has all before it; an id names the oldest
 * message of the source of which that is not so. Several messages that came of one count only together.
 */
export class EventIds {
  readonly #undelivered: Undelivered;
  /** Messages to come by the position they share. */
  readonly #expected = new Map<string, number>();
  /** By part: what clients have in their queues, and the source has no confirmation for. */
  readonly #handed = new Map<string, Set<bigint>>();
  /** The same function each time, by which sources know what they need not ask again. */
  readonly #isHanded = ({ part, offset }: PartPosition) => this.#handed.get(part)?.has(offset) === true;
  #handedCount = 0;
  #forgetAt = fewestToForget;

  constructor(undelivered: Undelivered) {
    this.#undelivered = undelivered;
  }

  /** To be called for all messages that come together, before the first `idAfter` of them. */
  expect({ position }: Message): void {
    if (position === undefined) return;
    const key = keyOf(position);
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + 1);
  }

  /**
   * The id of the next message in order; `undefined` while nothing is known of the source, and where it has more parts
   * than a client could tell.
   */
  idAfter({ position }: Message): string | undefined {
    if (position !== undefined) this.#hand(position);
    const undelivered = this.reached();
    if (undelivered === undefined) return undefined;
    if (this.#handedCount >= this.#forgetAt) this.#forget();
    const id = encodePositions(undelivered);
    return id.length > mostCharacters ? undefined : id;
  }

  /** What the id of the newest message says: of each part the oldest that a client with that message lacks. */
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

  /** What lies before the oldest that the source itself waits for is of no more use. */
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
