// Collects what clients are sent in one turn of the event loop, so that each client gets one write.

import type { Receipt } from "../component/message-gates.ts";

/** The most bytes that are collected for one client. A client that is sent more waits for the end of the turn. */
const mostCollectedBytes = 64 * 1024;

/** Writes what it has collected. */
export interface TurnEnd {
  flush(): void;
}

/** What one client is sent in this turn. */
export class Turn {
  readonly frames: Buffer[] = [];
  readonly #receipts: Receipt[] = [];
  #size = 0;

  /** Flushes `onEnd` at the end of the turn. */
  constructor(onEnd: TurnEnd) {
    if (ending.length === 0) setImmediate(endTurn);
    ending.push(onEnd);
  }

  get isFull(): boolean {
    return this.#size >= mostCollectedBytes;
  }

  add(frame: Buffer, receipt: Receipt): void {
    this.frames.push(frame);
    this.#receipts.push(receipt);
    this.#size += frame.length;
  }

  /** Confirms each frame, in order. */
  confirm(): void {
    for (const receipt of this.#receipts) receipt.confirm();
  }
}

let ending: TurnEnd[] = [];

function endTurn(): void {
  const due = ending;
  ending = [];
  for (const each of due) each.flush();
  joined = undefined;
}

/** Wraps the bytes of a turn for a connection. */
export type Wrap = (frames: readonly Buffer[]) => Buffer;

let joined: { readonly wrap: Wrap; readonly frames: readonly Buffer[]; readonly bytes: Buffer } | undefined;

/** Returns the frames of a turn as `wrap` makes them: once for all clients of a broadcast, which are sent the same frames. */
export function joinFrames(frames: readonly Buffer[], wrap: Wrap): Buffer {
  if (joined === undefined || joined.wrap !== wrap || !areSame(joined.frames, frames)) {
    joined = { wrap, frames, bytes: wrap(frames) };
  }
  return joined.bytes;
}

function areSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  return some.length === others.length && some.every((frame, index) => frame === others[index]);
}

/** Concatenates frames. */
export function inRow(frames: readonly Buffer[]): Buffer {
  const [only] = frames;
  return frames.length === 1 && only !== undefined ? only : Buffer.concat(frames);
}

/** Returns the frames as one chunk of an HTTP/1.1 body (RFC 9112, section 7.1). */
export function asChunk(frames: readonly Buffer[]): Buffer {
  const size = frames.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), ...frames, lineEnd]);
}

const lineEnd = /* @__PURE__ */ Buffer.from("\r\n");
