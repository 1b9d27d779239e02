// What a gateway reports to analytics. A gateway without analytics has no observer: hot paths then cost one comparison, and
// the bundle contains none of this.

import type { IncomingMessage } from "node:http";
import type { DeliveryObserver } from "../component/component.ts";
import type { GatewayError } from "../errors.ts";
import type { Call, CallTransport } from "../http/call.ts";
import type { Batch } from "../message/message.ts";
import type { Logger } from "../process/log.ts";
import type { Labels, MetricFamily } from "../process/metrics.ts";
import type { DeliveryCounters, StreamState } from "./stream-state.ts";

/** All listeners of a gateway, as one. */
export interface GatewayObserver {
  /** A request or an upgrade arrived. Only its head is known; no step of the chain has seen it. */
  attempt(request: IncomingMessage, transport: CallTransport): ConnectionAttempt;
  /** Data arrived that is not a valid request, and was answered with `error`. */
  malformed(error: GatewayError): void;
  /** Returns the observer of a stream, if something observes it. Called each time a stream of that name is created. */
  stream(api: string, stream: string): StreamObserver | undefined;
  /** The gateway listens: exports can begin. */
  start(gateway: ObservedGateway): void;
  /** Returns the metrics in the Prometheus text format, except those of `metric` processors. Every metric has the labels `common`. */
  metrics(common: Labels): string;
  /** Exports what is pending within `deadline` milliseconds. Nothing is left running afterwards. */
  close(deadline: number): Promise<void>;
}

/** One request or upgrade. The server records its outcome here. */
export interface ConnectionAttempt {
  /** Absent if the head could not be read. */
  call?: Call;
  /** Why the gateway refused it. */
  refusal?: GatewayError;
}

/** Observes one stream. */
export interface StreamObserver extends DeliveryObserver {
  /** The stream continues with these counters, which were reported as final before. */
  resumed?(counters: Readonly<DeliveryCounters>): void;
  /** The stream has stopped; `counters` are final. */
  ended?(counters: Readonly<DeliveryCounters>): void;
}

/** What an observer can ask of a gateway at any time. */
export interface ObservedGateway {
  readonly log: Logger;
  /** The number of the worker, if there are several. */
  readonly worker: number | undefined;
  states(): readonly StreamState[];
  /** The metrics of `metric` processors. */
  customMetrics(): readonly MetricFamily[];
}

/** Samples messages of one stream, over all its versions. Without a listener it costs one comparison per batch. */
export interface Tap {
  /** Called when a batch is handed to an output. It must not throw and must return quickly: the stream waits for it. */
  listener: ((batch: Batch, isDeadLetter: boolean) => void) | undefined;
}
