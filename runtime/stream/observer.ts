// What a gateway tells those who count and record. One without analytics has no observer: hot paths then cost it
// one comparison, and its bundle holds nothing of this.

import type { IncomingMessage } from "node:http";
import type { GatewayError } from "../errors.ts";
import type { Call, CallTransport } from "../http/call.ts";
import type { Batch } from "../message/message.ts";
import type { Logger } from "../process/log.ts";
import type { Labels, MetricFamily } from "../process/metrics.ts";
import type { DeliveryCounters, StreamState } from "./stream-state.ts";

/** Everything that listens in a gateway, as one. */
export interface GatewayObserver {
  /** A request or an upgrade came, of which only the head is known; no step of the chain has seen it. */
  attempt(request: IncomingMessage, transport: CallTransport): ConnectionAttempt;
  /** Something came that is not a request, and was answered so. */
  malformed(error: GatewayError): void;
  /** The observer of a stream, asked for each time one is made under that name. */
  stream(api: string, stream: string): StreamObserver;
  /** The gateway listens: exports begin. */
  start(gateway: ObservedGateway): void;
  /** What Prometheus reads besides the numbers of `metric` processors, with `common` among all labels. */
  metrics(common: Labels): string;
  /** Exports what was not exported, within `deadline` milliseconds. Nothing is left running afterwards. */
  close(deadline: number): Promise<void>;
}

/** One request or upgrade; the server notes here what becomes of it. */
export interface ConnectionAttempt {
  /** Absent where the head could not be read. */
  call?: Call;
  /** Why the gateway refused it. */
  refusal?: GatewayError;
}

/** Listens to one stream. */
export interface StreamObserver {
  /** It goes on with these counters, which were told as final before. */
  resumed?(counters: Readonly<DeliveryCounters>): void;
  /** The input hands over a batch. */
  began(batch: Batch): ObservedBatch;
  /** The stream has stopped; `counters` are final. */
  ended(counters: Readonly<DeliveryCounters>): void;
}

/** A batch on its way. */
export interface ObservedBatch {
  /** What goes on in its place: the same messages, perhaps with more metadata. */
  readonly batch: Batch;
  /** The input gets the outcome: everything was confirmed, or why not; `isReturn` of that says whether it is a failure. */
  ended(failure: GatewayError | undefined): void;
}

/** What can be asked of a gateway at any time. */
export interface ObservedGateway {
  readonly log: Logger;
  /** Its number, where several processes serve together. */
  readonly worker: number | undefined;
  states(): readonly StreamState[];
  /** The numbers of `metric` processors. */
  customMetrics(): readonly MetricFamily[];
}

/** Of one stream, over all its versions. Without a listener it costs one comparison for each batch. */
export interface Tap {
  /** Called as a batch is given to an output. It must neither throw nor take long: the stream waits for it. */
  listener: ((batch: Batch, isDeadLetter: boolean) => void) | undefined;
}
