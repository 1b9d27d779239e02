// Data that clients of all listeners have not read: it occupies memory of the process, as bodies do.

import { bodyBudget } from "../../process/memory/body-budget.ts";

/** A connection to a client. */
export interface ReadingClient {
  /** Bytes that wait for the client. */
  waiting(): number;
  /** Bytes that the client has read since it connected. */
  taken(): number;
  cut(): void;
}

/** Milliseconds between two checks. */
const interval = 1_000;
/** The part of its waiting data that a client must read between two checks when memory runs short. */
const leastTaken = 1 / 32;

const readers = /* @__PURE__ */ new Set<ReadingClient>();
let timer: NodeJS.Timeout | undefined;
/** The clients with waiting data at the last check, and the bytes that they had read by then. */
let before = /* @__PURE__ */ new Map<ReadingClient, number>();

/** Counts the data that waits for a client until `forgetReader` is called. */
export function watchReader(reader: ReadingClient): void {
  readers.add(reader);
  timer ??= setInterval(look, interval).unref();
}

/** Stops counting for a client; called when its connection is gone. */
export function forgetReader(reader: ReadingClient): void {
  readers.delete(reader);
  if (readers.size > 0) return;
  clearInterval(timer);
  timer = undefined;
  before.clear();
  bodyBudget.unread = 0;
}

/** Counts the waiting data; above half of the budget, disconnects clients that read hardly anything, largest first. */
function look(): void {
  const now = new Map<ReadingClient, number>();
  const stalled: { readonly reader: ReadingClient; readonly waiting: number }[] = [];
  let unread = 0;
  for (const reader of readers) {
    const waiting = reader.waiting();
    if (waiting === 0) continue;
    unread += waiting;
    const taken = reader.taken();
    now.set(reader, taken);
    const last = before.get(reader);
    if (last !== undefined && taken - last < waiting * leastTaken) stalled.push({ reader, waiting });
  }
  before = now;
  const most = bodyBudget.limit / 2;
  if (unread > most) {
    stalled.sort((left, right) => right.waiting - left.waiting);
    for (const { reader, waiting } of stalled) {
      if (unread <= most) break;
      unread -= waiting;
      reader.cut();
    }
  }
  bodyBudget.unread = unread;
}
