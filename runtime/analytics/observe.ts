// Combines several listeners into the observer of a gateway.

import type { ConnectionAttempt, GatewayObserver, StreamObserver } from "../stream/observer.ts";
import { type AttemptEnd, recordAttempt } from "./attempt-record.ts";
import type { AnalyticsListener } from "./listener.ts";

/** Returns the observer that emitted code passes to a gateway as `analytics`. */
export function observe(...listeners: readonly AnalyticsListener[]): GatewayObserver {
  const attempting = listeners.flatMap(({ attempt }) => attempt ?? []);
  return {
    attempt(request, transport) {
      const begun = { request, transport, attempt: {} satisfies ConnectionAttempt };
      const ends: AttemptEnd[] = [];
      for (const begin of attempting) {
        const end = begin(begun);
        if (end !== undefined) ends.push(end);
      }
      if (ends.length > 0) recordAttempt(begun, ends);
      return begun.attempt;
    },
    malformed(error) {
      for (const { malformed } of listeners) malformed?.(error);
    },
    stream(api, stream) {
      const [first, ...others] = listeners.flatMap((each) => each.stream?.(api, stream) ?? []);
      return others.reduce<StreamObserver | undefined>(joinStreams, first);
    },
    start(gateway) {
      for (const { start } of listeners) start?.(gateway);
    },
    metrics: (common) => listeners.map(({ metrics }) => metrics?.(common) ?? "").join(""),
    async close(deadline) {
      await Promise.all(listeners.map(({ close }) => close?.(deadline)));
    },
  };
}

/** Returns a listener for both: `second` gets the batch that `first` returns. */
function joinStreams(first: StreamObserver | undefined, second: StreamObserver): StreamObserver {
  if (first === undefined) return second;
  return {
    resumed(counters) {
      first.resumed?.(counters);
      second.resumed?.(counters);
    },
    began(batch) {
      const before = first.began(batch);
      const after = second.began(before.batch);
      // Who waits for the outcome keeps no batch because of these.
      const [endFirst, endSecond] = [before.ended, after.ended];
      return {
        batch: after.batch,
        ended(failure) {
          endFirst(failure);
          endSecond(failure);
        },
      };
    },
    ended(counters) {
      first.ended?.(counters);
      second.ended?.(counters);
    },
  };
}
