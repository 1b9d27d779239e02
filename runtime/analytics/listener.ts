// The interface of exporters: the events that they receive and the data that they can read.

import type { GatewayError } from "../errors.ts";
import type { Labels } from "../process/metrics.ts";
import type { ObservedGateway, StreamObserver } from "../stream/observer.ts";
import type { AttemptRecord, BegunAttempt } from "./attempt-record.ts";

/** Counts, records or exports events; absent methods cost nothing. */
export interface AnalyticsListener {
  /** Called when a connection attempt begins; returns a function that is called when it has ended, if one is needed. */
  attempt?(begun: BegunAttempt): ((record: AttemptRecord) => void) | undefined;
  /** Called for data that is not a valid request and was answered with this error. */
  malformed?(error: GatewayError): void;
  /** Called each time a stream with this name is created; returns its listener. */
  stream?(api: string, stream: string): StreamObserver;
  /** Called when the gateway listens: exports begin. */
  start?(gateway: ObservedGateway): void;
  /** As `GatewayObserver.metrics`. */
  metrics?(common: Labels): string;
  /** As `GatewayObserver.close`. */
  close?(deadline: number): Promise<void>;
}
