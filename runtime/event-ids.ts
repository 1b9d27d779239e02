// The ids of events: by one a client that comes back says what it has.

import type { Message } from "./message.ts";
import { encodePositions, type Position, type Positions } from "./positions.ts";

/** The oldest of each part that is not delivered yet, but for what `isHanded` says of. */
export type Undelivered = (isHanded: (position: Position) => boolean) => Positions | undefined;

/**
 * Ids of messages that clients get in one order. Whoever has a message has all before it; an id names the oldest
 * message of the source of which that is not so. Several messages that came of one count only together.
 */
export class EventIds {
  readonly #undelivered: Undelivered;
  /** Messages to come by the position they share. */
  readonly #expected = new Map<string, number>();
  /** By part: what clients have in their queues, and the source has not been told of. */
  readonly #handed = new Map<string, Set<bigint>>();

  constructor(undelivered: Undelivered) {
    this.#undelivered = undelivered;
  }

  /** To be called for all messages that come together, before the first `idAfter` of them. */
  expect({ position }: Message): void {
    if (position === undefined) return;
    const key = keyOf(position);
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + 1);
  }

  /** The id of the next message in order; `undefined` while nothing is known of the source. */
  idAfter({ position }: Message): string | undefined {
    if (position !== undefined) this.#hand(position);
    const undelivered = this.#undelivered(({ part, offset }) => this.#handed.get(part)?.has(offset) === true);
    if (undelivered === undefined) return undefined;
    this.#forget(undelivered);
    return encodePositions(undelivered);
  }

  #hand(position: Position): void {
    const key = keyOf(position);
    const left = (this.#expected.get(key) ?? 1) - 1;
    if (left > 0) {
      this.#expected.set(key, left);
      return;
    }
    this.#expected.delete(key);
    const handed = this.#handed.get(position.part) ?? new Set();
    this.#handed.set(position.part, handed.add(position.offset));
  }

  /** What lies before the oldest that is missing is of no more use. */
  #forget(undelivered: Positions): void {
    for (const [part, oldest] of undelivered) {
      const handed = this.#handed.get(part);
      for (const offset of handed ?? []) if (offset < oldest) handed?.delete(offset);
    }
  }
}

function keyOf({ part, offset }: Position): string {
  return `${offset} ${part}`;
}
