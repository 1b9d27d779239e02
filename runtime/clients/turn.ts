// Collects what clients are sent in one turn of the event loop, so that each client gets one write, and confirms it.

import type { Writable } from "node:stream";
import type { Receipt } from "../component/message-gates.ts";
import { noBytes } from "../text/utf8.ts";
import type { StallGuard } from "./stall-guard.ts";

/** The most bytes that are collected for one client. A client that is sent more waits for the end of the turn. */
const mostCollectedBytes = 128 * 1024;

/** Writes what it has collected. */
export interface TurnEnd {
  flush(): void;
}

/** One item or several, in order. Most clients get one in a turn, which then needs no array. */
export interface Items<Item> {
  readonly first: Item;
  readonly others?: readonly Item[] | undefined;
}

/** What one client is sent in this turn. */
export class Turn<Item> implements Items<Item> {
  readonly first: Item;
  others: Item[] | undefined = undefined;
  readonly #receipt: Receipt;
  #otherReceipts: Receipt[] | undefined = undefined;
  #size: number;

  /** Flushes `onEnd` at the end of the turn. */
  constructor(onEnd: TurnEnd, item: Item, size: number, receipt: Receipt) {
    this.first = item;
    this.#receipt = receipt;
    this.#size = size;
    if (ending.length === 0) setImmediate(endTurn);
    ending.push(onEnd);
  }

  get isFull(): boolean {
    return this.#size >= mostCollectedBytes;
  }

  /** `size`: the bytes of the item. */
  add(item: Item, size: number, receipt: Receipt): void {
    if (this.others === undefined) this.others = [item];
    else this.others.push(item);
    this.#size += size;
    // Messages that were sent together share a receipt.
    const receipts = this.#otherReceipts;
    if (receipt === (receipts?.at(-1) ?? this.#receipt)) return;
    if (receipts === undefined) this.#otherReceipts = [receipt];
    else receipts.push(receipt);
  }

  /** Confirms all items, in order. */
  confirm(): void {
    this.#receipt.confirm();
    if (this.#otherReceipts === undefined) return;
    for (const receipt of this.#otherReceipts) receipt.confirm();
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

let joined: { readonly join: unknown; readonly items: Items<unknown>; readonly bytes: Buffer } | undefined;

/** Returns the items of a turn as `join` does: once for all clients of a broadcast, which are sent the same items. */
export function joinItems<Item>(items: Items<Item>, join: JoinItems<Item>): Buffer {
  if (joined === undefined || joined.join !== join || !areSame(joined.items, items)) {
    joined = { join, items, bytes: join([items.first, ...(items.others ?? [])]) };
  }
  return joined.bytes;
}

/** Without a function, as this compares each message for each client. */
function areSame(one: Items<unknown>, other: Items<unknown>): boolean {
  if (one.first !== other.first) return false;
  const [some, others] = [one.others, other.others];
  if (some === undefined || others === undefined) return some === others;
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}

/**
 * Writes the bytes of a turn to the connection of a client, and confirms the turn once they have left. Returns the guard of the
 * client, which it is to be called with from then on: `createGuard` creates it when bytes first wait for the client.
 */
export function writeTurn<C>(
  connection: Writable,
  turn: Turn<unknown>,
  bytes: Buffer,
  guard: StallGuard<C> | undefined,
  createGuard: () => StallGuard<C>,
): StallGuard<C> | undefined {
  if (guard !== undefined) {
    writeGuarded(connection, turn, bytes, guard);
    return guard;
  }
  // Nearly always, the kernel takes all bytes at once. A callback and a timer would cost a tenth of the write.
  connection.write(bytes);
  if (hasLeft(connection)) {
    confirmSoon(turn);
    return undefined;
  }
  const created = createGuard();
  created.follow(connection);
  // Tells when all that was written before it has left, or that it will not.
  writeGuarded(connection, turn, noBytes, created);
  return created;
}

function writeGuarded<C>(
  connection: Writable,
  turn: Turn<unknown>,
  bytes: Uint8Array,
  guard: StallGuard<C>,
): void {
  guard.began(bytes.byteLength);
  connection.write(bytes, (error) => {
    guard.ended();
    if (error) guard.failed();
    else turn.confirm();
  });
}

/** Something that was sent. */
export type Confirmable = Pick<Receipt, "confirm">;

/** Returns whether the kernel has taken all that was written to a connection. */
export function hasLeft(connection: Writable): boolean {
  return connection.writableLength === 0 && connection.writable;
}

/** What has left and is not confirmed yet. */
let left: Confirmable[] = [];

/** Confirms what has left once no caller is at work with the clients any more. */
export function confirmSoon(sent: Confirmable): void {
  if (left.length === 0) process.nextTick(confirmLeft);
  left.push(sent);
}

function confirmLeft(): void {
  const due = left;
  left = [];
  for (const each of due) each.confirm();
}
