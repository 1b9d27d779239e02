// Combines several listeners into the observer of a gateway.

import type {
  ConnectionAttempt,
  GatewayObserver,
  ObservedBatch,
  StreamObserver,
} from "../stream/observer.ts";
import { recordAttempt } from "./attempt-record.ts";
import type { AnalyticsListener, StreamListener } from "./listener.ts";

/** Returns the observer that emitted code passes to a gateway as `analytics`. */
export function observe(...listeners: readonly AnalyticsListener[]): GatewayObserver {
  const attempting = listeners.flatMap(({ attempt }) => attempt ?? []);
  return {
    attempt(request, transport) {
      const begun = { request, transport, attempt: {} satisfies ConnectionAttempt };
      const ends = attempting.map((begin) => begin(begun));
      recordAttempt(begun, (record) => {
        for (const end of ends) end(record);
      });
      return begun.attempt;
    },
    malformed(error) {
      for (const { malformed } of listeners) malformed?.(error);
    },
    stream: (api, stream) => joinStreams(listeners.flatMap((each) => each.stream?.(api, stream) ?? [])),
    start(gateway) {
      for (const { start } of listeners) start?.(gateway);
    },
    metrics: (common) => listeners.map(({ metrics }) => metrics?.(common) ?? "").join(""),
    async close(deadline) {
      await Promise.all(listeners.map(({ close }) => close?.(deadline)));
    },
  };
}

function joinStreams(listeners: readonly StreamListener[]): StreamObserver {
  const [only] = listeners;
  // The most common case, without lists.
  if (only !== undefined && listeners.length === 1) {
    return {
      resumed: (counters) => only.resumed?.(counters),
      began: (batch) => only.began(batch),
      ended: (counters) => only.ended?.(counters),
    };
  }
  return {
    resumed(counters) {
      for (const { resumed } of listeners) resumed?.(counters);
    },
    began(batch) {
      const observed: ObservedBatch[] = [];
      let current = batch;
      for (const listener of listeners) {
        const one = listener.began(current);
        current = one.batch;
        observed.push(one);
      }
      return {
        batch: current,
        ended(failure) {
          for (const one of observed) one.ended(failure);
        },
      };
    },
    ended(counters) {
      for (const { ended } of listeners) ended?.(counters);
    },
  };
}
