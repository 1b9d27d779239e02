// The lines of a source that can be read only once, for one reader after the other.

import type { Readable } from "node:stream";
import { type LinesOptions, readLines } from "../../message/lines.ts";

/** What is left of a source. */
export interface SharedLines {
  /** The first line that nobody took; the same until somebody does. Rejects when the source cannot be read. */
  peek(): Promise<IteratorResult<Uint8Array, unknown>>;
  /** Passes over that line. */
  take(): void;
}

/** By their source, as a stream that starts again makes new inputs. */
const known = /* @__PURE__ */ new WeakMap<Readable, SharedLines>();

/** What is left of `source`, which the first call begins to read. */
export function sharedLines(source: Readable, options: LinesOptions): SharedLines {
  const shared = known.get(source) ?? share(source, options);
  known.set(source, shared);
  return shared;
}

function share(source: Readable, options: LinesOptions): SharedLines {
  const lines = readLines(source, options);
  let next: Promise<IteratorResult<Uint8Array, unknown>> | undefined;
  return {
    peek() {
      next ??= lines.next();
      return next;
    },
    take() {
      next = undefined;
    },
  };
}
