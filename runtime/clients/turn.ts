// What clients are given in one turn of the event loop, collected so that it is one write for each of them.

/** Bytes that are collected for one client; one that has more waits for the end of the turn. */
const mostCollectedBytes = 64 * 1024;

/** Who writes what it has collected. */
export interface TurnEnd {
  flush(): void;
}

/** What one client is given in this turn. */
export class Turn {
  readonly frames: Buffer[] = [];
  readonly #confirmations: (() => void)[] = [];
  #size = 0;

  /** `onEnd` is flushed at the end of the turn. */
  constructor(onEnd: TurnEnd) {
    if (ending.length === 0) setImmediate(endTurn);
    ending.push(onEnd);
  }

  get isFull(): boolean {
    return this.#size >= mostCollectedBytes;
  }

  add(frame: Buffer, confirm: () => void): void {
    this.frames.push(frame);
    this.#confirmations.push(confirm);
    this.#size += frame.length;
  }

  /** Confirms each frame, in order. */
  confirm(): void {
    for (const confirm of this.#confirmations) confirm();
  }
}

let ending: TurnEnd[] = [];

function endTurn(): void {
  const due = ending;
  ending = [];
  for (const each of due) each.flush();
  joined = undefined;
}

/** How the bytes of a turn are wrapped for a connection. */
export type Wrap = (frames: readonly Buffer[]) => Buffer;

let joined: { readonly wrap: Wrap; readonly frames: readonly Buffer[]; readonly bytes: Buffer } | undefined;

/** The frames of a turn as `wrap` gives them: a broadcast gives all of its clients the same, which is made once. */
export function joinFrames(frames: readonly Buffer[], wrap: Wrap): Buffer {
  if (joined === undefined || joined.wrap !== wrap || !areSame(joined.frames, frames)) {
    joined = { wrap, frames, bytes: wrap(frames) };
  }
  return joined.bytes;
}

function areSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  return some.length === others.length && some.every((frame, index) => frame === others[index]);
}

/** One frame after the other. */
export function inRow(frames: readonly Buffer[]): Buffer {
  const [only] = frames;
  return frames.length === 1 && only !== undefined ? only : Buffer.concat(frames);
}

/** The frames as one chunk of a body of HTTP/1.1 (RFC 9112, section 7.1). */
export function asChunk(frames: readonly Buffer[]): Buffer {
  const size = frames.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), ...frames, lineEnd]);
}

const lineEnd = /* @__PURE__ */ Buffer.from("\r\n");
