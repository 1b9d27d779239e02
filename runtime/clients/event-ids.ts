// Event ids: a client that reconnects sends the id of the last event that it received.

import type { Message } from "../message/message.ts";
import {
  type EncodedPositions,
  mostCharacters,
  type PartPosition,
  PositionEncoder,
  type Positions,
} from "../message/positions.ts";

/** See `InputPositions.undelivered`. */
export type Undelivered = (
  isHanded: (position: PartPosition) => boolean,
  part?: string,
) => Positions | undefined;

/** The least number of messages that are handed out between two checks of what the source has confirmed. */
const fewestToForget = 256;

/** The messages of one part of the source, by their offsets. */
interface Part {
  /** The number of messages still to come for a position that they share. */
  readonly expected: Map<bigint, number>;
  /** Messages in the queues of clients that the source has no confirmation for. */
  readonly handed: Offsets;
}

/** A message that gets an id. */
interface Identified {
  readonly message: Message;
  /** The event id that a client with this message can resume from. */
  id: EncodedPositions | undefined;
}

/** A set of offsets. Those that are added one after the other need no memory each. */
class Offsets {
  /** The beginning and the end of a range of offsets. */
  #first = 0n;
  #next = 0n;
  /** The offsets outside of the range, and not next to its end. */
  readonly #others = new Set<bigint>();
  /** The largest offset that was added since the set was empty. */
  #largest = -1n;

  get size(): number {
    return Number(this.#next - this.#first) + this.#others.size;
  }

  /** At least the largest offset. */
  get largest(): bigint {
    return this.#largest;
  }

  add(offset: bigint): void {
    if (this.has(offset)) return;
    if (this.#first === this.#next) {
      this.#first = offset;
      this.#next = offset;
    }
    if (offset > this.#largest) this.#largest = offset;
    if (offset !== this.#next) {
      this.#others.add(offset);
      return;
    }
    do this.#next += 1n;
    while (this.#others.size > 0 && this.#others.delete(this.#next));
  }

  has(offset: bigint): boolean {
    return (
      (offset >= this.#first && offset < this.#next) || (this.#others.size > 0 && this.#others.has(offset))
    );
  }

  /** Returns whether the offset was there. */
  delete(offset: bigint): boolean {
    if (!this.has(offset)) return false;
    if (!this.#others.delete(offset)) {
      for (let after = offset + 1n; after < this.#next; after += 1n) this.#others.add(after);
      this.#next = offset;
    }
    return true;
  }

  /** Deletes all smaller offsets. */
  deleteBefore(offset: bigint): void {
    if (offset >= this.#next) this.#first = this.#next;
    else if (offset > this.#first) this.#first = offset;
    for (const other of this.#others) if (other < offset) this.#others.delete(other);
    if (this.size === 0) this.#largest = -1n;
  }
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

  /** As `expect`, while no other message is pending. Messages of different positions need not be counted. */
  expectAll(messages: readonly Pick<Identified, "message">[]): void {
    if (!areAscending(messages)) for (const { message } of messages) this.expect(message);
  }

  /**
   * Returns the id of the next message in order; `undefined` while the positions of the source are unknown, or if the source
   * has more parts than an id can hold.
   */
  idAfter(message: Message): EncodedPositions | undefined {
    this.pass(message);
    const undelivered = this.reached();
    return undelivered && checkedId(this.#encoder.encode(undelivered));
  }

  /**
   * Gives each of the next messages in order its id, as `idAfter`. Meanwhile, the source changes nothing, so that it is
   * read as a whole only once.
   */
  identify(messages: readonly Identified[]): void {
    let positions: Map<string, bigint> | undefined;
    let id: EncodedPositions | undefined;
    for (const each of messages) {
      const { position } = each.message;
      const isWhole = position !== undefined && this.#hand(position);
      if (positions === undefined) {
        const reached = this.reached();
        positions = reached && new Map(reached);
        id = positions && checkedId(this.#encoder.encode(positions));
      } else if (isWhole && this.#advance(positions, position)) {
        id = checkedId(this.#encoder.encodeChange(positions, position.part));
      }
      each.id = id;
    }
    this.#forgetSometimes();
  }

  /** Updates positions after a message was handed out. Returns whether they have changed. */
  #advance(positions: Map<string, bigint>, position: PartPosition): boolean {
    const { part, offset } = position;
    const before = positions.get(part);
    if (before === undefined || offset < before) return false;
    // If no later message was handed out, the next one is the oldest.
    const isSimple = offset === before && this.#partOf(position).handed.largest === offset;
    const after = isSimple ? offset + 1n : this.#undelivered(this.#isHanded, part)?.get(part);
    if (after === undefined || after === before) return false;
    positions.set(part, after);
    return true;
  }

  /** Counts the next message in order, as `idAfter`, for clients that take no ids. */
  pass({ position }: Message): void {
    if (position !== undefined) this.#hand(position);
    this.#forgetSometimes();
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

  /** Returns whether it was the last message for its position. */
  #hand(position: PartPosition): boolean {
    const { offset } = position;
    const { expected, handed } = this.#partOf(position);
    if (expected.size > 0) {
      const left = (expected.get(offset) ?? 1) - 1;
      if (left > 0) {
        expected.set(offset, left);
        return false;
      }
      expected.delete(offset);
    }
    handed.add(offset);
    this.#handedCount += 1;
    return true;
  }

  #partOf({ part }: PartPosition): Part {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const added: Part = { expected: new Map(), handed: new Offsets() };
    this.#parts.set(part, added);
    return added;
  }

  /** Forgets the offsets before the oldest one that the source itself waits for. */
  #forgetSometimes(): void {
    if (this.#handedCount < this.#forgetAt) return;
    const oldestOf = this.#undelivered(() => false);
    this.#handedCount = 0;
    for (const [part, { handed }] of this.#parts) {
      handed.deleteBefore(oldestOf?.get(part) ?? 0n);
      this.#handedCount += handed.size;
    }
    this.#forgetAt = Math.max(fewestToForget, 2 * this.#handedCount);
  }
}

function checkedId(id: EncodedPositions): EncodedPositions | undefined {
  return id.length > mostCharacters ? undefined : id;
}

/** Whether the messages have different positions, because those of each part ascend. */
function areAscending(messages: readonly Pick<Identified, "message">[]): boolean {
  const newest = new Map<string, bigint>();
  let last: PartPosition | undefined;
  for (const { message } of messages) {
    const { position } = message;
    if (position === undefined) continue;
    // Most follow one of the same part.
    if (last !== undefined && last.part !== position.part) {
      newest.set(last.part, last.offset);
      last = undefined;
    }
    const before = last?.offset ?? newest.get(position.part);
    if (before !== undefined && position.offset <= before) return false;
    last = position;
  }
  return true;
}
