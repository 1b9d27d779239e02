// What exporters listen to, and what they can ask for.

import type { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { Labels } from "../process/metrics.ts";
import type { ObservedBatch, ObservedGateway } from "../stream/observer.ts";
import type { DeliveryCounters } from "../stream/stream-state.ts";
import type { AttemptRecord, BegunAttempt } from "./attempt-record.ts";

/** Code that counts, records or exports; each part that is absent costs nothing. */
export interface AnalyticsListener {
  /** An attempt to connect began; gives what is called once it is over. */
  attempt?(begun: BegunAttempt): (record: AttemptRecord) => void;
  /** Something came that is not a request, and was answered with that error. */
  malformed?(error: GatewayError): void;
  /** Asked for each time a stream is made under that name. */
  stream?(api: string, stream: string): StreamListener;
  /** The gateway listens: exports begin. */
  start?(gateway: ObservedGateway): void;
  /** As `GatewayObserver.metrics`. */
  metrics?(common: Labels): string;
  /** As `GatewayObserver.close`. */
  close?(deadline: number): Promise<void>;
}

/** A listener of one stream. */
export interface StreamListener {
  /** As `StreamObserver.began`. */
  began(batch: Batch): ObservedBatch;
  /** As `StreamObserver.resumed`. */
  resumed?(counters: Readonly<DeliveryCounters>): void;
  /** As `StreamObserver.ended`. */
  ended?(counters: Readonly<DeliveryCounters>): void;
}
