// The tables in which Node.js keeps the open streams of an HTTP/2 connection.

import type { ServerHttp2Session } from "node:http2";
import { types } from "node:util";
import { TransientMap, TransientSet } from "../../concurrency/transient.ts";

/**
 * Makes a connection release its streams when they are closed: the tables of Node.js keep many of them until the whole heap is
 * collected (`../../concurrency/transient.ts`). To be called before its first stream. Does nothing if this Node.js keeps its
 * streams in another way.
 */
export function releaseStreams(session: ServerHttp2Session): void {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === "state");
  const state: unknown = key && Reflect.get(session, key);
  if (!isState(state) || state.streams.size > 0 || state.pendingStreams.size > 0) return;
  state.streams = new OpenStreams();
  state.pendingStreams = new PendingStreams();
}

/** What Node.js uses of a table. */
interface Table {
  readonly size: number;
  forEach(visit: (stream: unknown) => void): void;
}

/** Properties of Node.js that its types leave out. */
interface SessionState {
  /** By number. */
  streams: Table;
  /** Those that have no number yet. */
  pendingStreams: Table;
}

function isState(state: unknown): state is SessionState {
  if (typeof state !== "object" || state === null) return false;
  const { streams, pendingStreams } = state as Partial<SessionState>;
  // Node.js gives them a prototype of their own.
  return types.isMap(streams) && types.isSet(pendingStreams);
}

class OpenStreams extends TransientMap<unknown, unknown> implements Table {
  forEach(visit: (stream: unknown) => void): void {
    this.values().forEach(visit);
  }
}

class PendingStreams extends TransientSet<unknown> implements Table {
  forEach(visit: (stream: unknown) => void): void {
    this.values().forEach(visit);
  }
}
