// What the parts of one stream have in common, whatever version of it they are of.

import type { ComponentContext, StreamSource } from "../component/component.ts";
import { GatewayScope } from "../component/gateway-scope.ts";
import { Collectors } from "../concurrency/in-flight.ts";
import { Conditions } from "../conditions/conditions.ts";
import { FailureLog } from "../failures/failure-log.ts";
import type { Logger } from "../process/log.ts";
import type { StreamObserver, Tap } from "./observer.ts";
import type { StreamOptions, StreamSpec } from "./stream-options.ts";
import { createCounters, type DeliveryCounters } from "./stream-state.ts";

/** One stream, to its parts. */
export interface StreamScope {
  readonly stream: string;
  readonly log: Logger;
  readonly counters: DeliveryCounters;
  readonly observer: StreamObserver | undefined;
  readonly tap: Tap | undefined;
  /** Reasons of the connections that are lost now. */
  readonly outages: Conditions<string>;
  readonly failures: FailureLog;
  /** Aborted when the stream stops. */
  readonly stopping: AbortSignal;
  /** What the streams of the gateway share. */
  readonly gateway: GatewayScope;
  /** Whose stream it is. */
  readonly organisation: string | undefined;
  readonly source: StreamSource;
  /** Those of all its outputs. */
  readonly collectors: Collectors;
}

/** What a stream adds of its own. */
export interface StreamScopeParts {
  readonly stopping: AbortSignal;
  /** Called with the reason whenever a connection is lost, a batch begins to block or one is refused. */
  readonly onProblem: (reason: string) => void;
  readonly source: StreamSource;
}

/** The context of a stream, which counts on where it ran before. */
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
    gateway,
    organisation,
    source,
    collectors: new Collectors(),
  };
}

/** Milliseconds a component gets to disconnect once nothing is in flight any more. */
export const disconnectTime = 5_000;

/** The same for a component that stops with its stream, whose time is over in `left` milliseconds: then there is hardly any. */
export function partingTime(left: number): number {
  return Math.min(disconnectTime, Math.max(left, 1_000));
}

/** The context of a component of `context` that ends by `signal`. */
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
    draining: scope.stopping,
    gateway: scope.gateway,
    organisation: scope.organisation,
    collectors: scope.collectors,
    ...own,
  };
}

/** Disconnects a part; a failure is logged and blocks nothing. */
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
