// Collects what clients are sent in one turn of the event loop, so that each client gets one write.

import type { Receipt } from "../component/message-gates.ts";

/** The most bytes that are collected for one client. A client that is sent more waits for the end of the turn. */
const mostCollectedBytes = 128 * 1024;

/** Writes what it has collected. */
export interface TurnEnd {
  flush(): void;
}

/** What one client is sent in this turn. */
export class Turn<Item> {
  // Arrays that begin with an item have room for one: most clients of a broadcast get one in a turn.
  readonly items: Item[];
  readonly #receipts: Receipt[];
  #size: number;

  /** Flushes `onEnd` at the end of the turn. */
  constructor(onEnd: TurnEnd, item: Item, size: number, receipt: Receipt) {
    this.items = [item];
    this.#receipts = [receipt];
    this.#size = size;
    if (ending.length === 0) setImmediate(endTurn);
    ending.push(onEnd);
  }

  get isFull(): boolean {
    return this.#size >= mostCollectedBytes;
  }

  /** `size`: the bytes of the item. */
  add(item: Item, size: number, receipt: Receipt): void {
    this.items.push(item);
    // Messages that were sent together share a receipt.
    if (receipt !== this.#receipts.at(-1)) this.#receipts.push(receipt);
    this.#size += size;
  }

  /** Confirms all items, in order. */
  confirm(): void {
    for (const receipt of this.#receipts) receipt.confirm();
  }
}

/** Adds an item to a turn. Returns the turn, which begins with the first item. */
export function addToTurn<Item>(
  turn: Turn<Item> | undefined,
  onEnd: TurnEnd,
  item: Item,
  size: number,
  receipt: Receipt,
): Turn<Item> {
  if (turn === undefined) return new Turn(onEnd, item, size, receipt);
  turn.add(item, size, receipt);
  return turn;
}

let ending: TurnEnd[] = [];

function endTurn(): void {
  const due = ending;
  ending = [];
  for (const each of due) each.flush();
  joined = undefined;
}

/** Returns the bytes of the items of a turn for a connection. */
export type JoinItems<Item> = (items: readonly Item[]) => Buffer;

let joined:
  | { readonly join: unknown; readonly items: readonly unknown[]; readonly bytes: Buffer }
  | undefined;

/** Returns the items of a turn as `join` does: once for all clients of a broadcast, which are sent the same items. */
export function joinItems<Item>(items: readonly Item[], join: JoinItems<Item>): Buffer {
  if (joined === undefined || joined.join !== join || !areSame(joined.items, items)) {
    joined = { join, items, bytes: join(items) };
  }
  return joined.bytes;
}

/** Without a function, as this compares each message for each client. */
function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}
