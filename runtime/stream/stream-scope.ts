// What the parts of one stream share across its versions.

import type { ComponentContext, StreamSource } from "../component/component.ts";
import { GatewayScope } from "../component/gateway-scope.ts";
import { Collectors } from "../concurrency/in-flight.ts";
import { Conditions } from "../conditions/conditions.ts";
import { FailureLog } from "../failures/failure-log.ts";
import type { Logger } from "../process/log.ts";
import type { StreamObserver, Tap } from "./observer.ts";
import type { StreamOptions, StreamSpec } from "./stream-options.ts";
import { createCounters, type DeliveryCounters } from "./stream-state.ts";

/** One stream, as its parts see it. */
export interface StreamScope {
  readonly stream: string;
  readonly log: Logger;
  readonly counters: DeliveryCounters;
  readonly observer: StreamObserver | undefined;
  readonly tap: Tap | undefined;
  /** The reasons of the connections that are currently lost. */
  readonly outages: Conditions<string>;
  readonly failures: FailureLog;
  /** Aborted when the stream stops. */
  readonly stopping: AbortSignal;
  /** Returns `stopping`, as `ComponentContext.draining`. */
  readonly draining: () => AbortSignal;
  /** What the streams of the gateway share. */
  readonly gateway: GatewayScope;
  /** The organisation that owns the stream. */
  readonly organisation: string | undefined;
  readonly source: StreamSource;
  /** The batch collectors of all its outputs. */
  readonly collectors: Collectors;
}

/** What a stream adds to its scope. */
export interface StreamScopeParts {
  readonly stopping: AbortSignal;
  /** Called with the reason when a connection is lost, a batch begins to block, or one is refused. */
  readonly onProblem: (reason: string) => void;
  readonly source: StreamSource;
}

/** Creates the scope of a stream. A stream that ran before continues with its counters. */
export function createStreamScope(
  { api, stream, organisation }: Omit<StreamSpec, "create">,
  options: StreamOptions,
  { stopping, onProblem, source }: StreamScopeParts,
): StreamScope {
  const { log, observer, counters, tap, gateway = new GatewayScope() } = options;
  const observed = observer?.stream(api, stream);
  if (counters !== undefined) observed?.resumed?.(counters);
  const own = log.with({ api, stream });
  return {
    stream,
    log: own,
    failures: new FailureLog(own, onProblem, stopping),
    counters: counters ?? createCounters(),
    observer: observed,
    tap,
    outages: new Conditions({ onBegin: onProblem }),
    stopping,
    draining: () => stopping,
    gateway,
    organisation,
    source,
    collectors: new Collectors(),
  };
}

/** Milliseconds that a component has to disconnect once no message is in delivery. */
export const disconnectTime = 5_000;

/** The same for a component that stops with its stream, `left` milliseconds before the deadline: at least one second. */
export function timeToDisconnect(left: number): number {
  return Math.min(disconnectTime, Math.max(left, 1_000));
}

/** Returns the context of a component that `signal` ends. */
export function contextIn(
  scope: StreamScope,
  component: string,
  signal: AbortSignal,
  own: Pick<ComponentContext, "draining" | "deliversFailed">,
): ComponentContext {
  return {
    log: scope.log.with({ component }),
    signal,
    beginOutage: scope.outages.within(signal),
    draining: scope.draining,
    gateway: scope.gateway,
    organisation: scope.organisation,
    collectors: scope.collectors,
    ...own,
  };
}

/** Disconnects a part. A failure is logged and blocks nothing. */
export async function closePart(
  { log }: StreamScope,
  component: string,
  part: { close?(): Promise<void> } | undefined,
): Promise<void> {
  try {
    await part?.close?.();
  } catch (error) {
    log.warn("disconnecting failed", { component, error });
  }
}
