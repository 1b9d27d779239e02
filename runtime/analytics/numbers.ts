// The numbers of one gateway. Hot paths add to what is there; whatever can be asked for is asked for at export.

import type { GatewayError } from "../errors.ts";
import { reasonOf } from "../failures/description.ts";
import type { MetricSeries } from "../process/metrics.ts";
import { createCounters, type DeliveryCounters } from "../stream/delivery.ts";
import type { StreamState, StreamStatus } from "../stream/stream-state.ts";
import { type AttemptRecord, transportOf, unknown } from "./attempt-record.ts";
import { ByLabels, Count, Histogram } from "./instruments.ts";
import type { BegunAttempt, StreamListener } from "./listener.ts";
import type { Measured } from "./measure.ts";
import { type MetricDefinition, type MetricKey, metricTable } from "./metric-table.ts";

/** Names of the counters of streams in the table. */
const counterKeys = ["received", "delivered", "failed", "written", "retried", "deadLettered"] as const;

/** States that are shown also while no stream is in them, so that alerts have something to look at. */
const statuses: readonly StreamStatus[] = [
  "starting",
  "running",
  "blocked",
  "waiting",
  "finished",
  "draining",
  "failed",
];

/** Counts, and tells what was counted. */
export class Numbers {
  readonly #requests = new ByLabels(() => new Count());
  readonly #refusals = new ByLabels(() => new Count());
  readonly #durations = new ByLabels(() => new Histogram());
  readonly #received = new ByLabels(() => new Count());
  readonly #sent = new ByLabels(() => new Count());
  readonly #open = new Set<BegunAttempt>();
  /** Every pair of labels that had something open, so that it goes back to 0. */
  readonly #opened = new ByLabels(() => new Count());
  readonly #deliveries = new ByLabels(() => new Histogram());
  readonly #failures = new ByLabels(() => new Count());
  /** Of streams that were stopped: instances come and go, their counts stay. */
  readonly #ended = new ByLabels(createCounters);

  /** As `Listener.attempt`. */
  attempt(begun: BegunAttempt): (record: AttemptRecord) => void {
    this.#open.add(begun);
    return (record) => {
      this.#open.delete(begun);
      this.#count(record);
    };
  }

  /** As `Listener.malformed`. */
  malformed({ status, reason }: GatewayError): void {
    this.#requests.at(unknown, unknown, unknown, String(status)).value += 1;
    this.#refusals.at(unknown, reason ?? reasonOf(status)).value += 1;
  }

  /** As `Listener.stream`. */
  stream(api: string, stream: string): StreamListener {
    const durations = this.#deliveries.at(api, stream);
    const ended = this.#ended.at(api, stream);
    return {
      resumed(counters) {
        for (const key of counterKeys) ended[key] -= counters[key];
      },
      began: (batch) => {
        const started = performance.now();
        return {
          batch,
          ended: (failure) => {
            if (failure === undefined) durations.record((performance.now() - started) / 1000);
            else this.#failures.at(api, stream, String(failure.status)).value += 1;
          },
        };
      },
      ended(counters) {
        for (const key of counterKeys) ended[key] += counters[key];
      },
    };
  }

  /** All numbers, with the streams in the given states. */
  measure(states: readonly StreamState[]): readonly Measured[] {
    const series: Readonly<Record<MetricKey, readonly MetricSeries[]>> = {
      requests: counted("requests", this.#requests),
      refusals: counted("refusals", this.#refusals),
      requestDuration: distributed("requestDuration", this.#durations),
      open: this.#openNow(),
      bytesReceived: counted("bytesReceived", this.#received),
      bytesSent: counted("bytesSent", this.#sent),
      deliveryDuration: distributed("deliveryDuration", this.#deliveries),
      deliveryFailures: counted("deliveryFailures", this.#failures),
      ...this.#ofStreams(states),
      ...ofProcess(),
    };
    const keys = Object.keys(metricTable) as MetricKey[]; // the keys of a constant object are its type's
    return keys.map((key) => ({ definition: metricTable[key], series: series[key] }));
  }

  #count(record: AttemptRecord): void {
    const { api = unknown, verb, route = unknown, status, transport, refusal } = record;
    this.#requests.at(api, verb, route, String(status)).value += 1;
    if (refusal !== undefined) this.#refusals.at(api, refusal).value += 1;
    if (transport === "http") this.#durations.at(api, verb, route).record(record.duration / 1000);
    if (record.received !== undefined) this.#received.at(api).value += record.received;
    if (record.sent !== undefined) this.#sent.at(api).value += record.sent;
  }

  #openNow(): readonly MetricSeries[] {
    for (const { own } of this.#opened.all()) own.value = 0;
    for (const begun of this.#open) {
      const api = begun.attempt.call?.api?.api.definition.id ?? unknown;
      this.#opened.at(api, transportOf(begun)).value += 1;
    }
    return counted("open", this.#opened);
  }

  #ofStreams(states: readonly StreamState[]) {
    const totals = new ByLabels<DeliveryCounters>(createCounters);
    const gauges = {
      clients: new ByLabels(() => new Count()),
      lag: new ByLabels(() => new Count()),
      blocked: new ByLabels(() => new Count()),
    };
    const inStatus = new ByLabels(() => new Count());
    for (const { values, own } of this.#ended.all()) addTo(totals.at(...values), own);
    // What has stopped was counted when it did.
    for (const state of states.filter(({ status }) => status !== "stopped")) {
      const { api, stream, messages, clients, lag, blocked } = state;
      addTo(totals.at(api, stream), messages);
      if (clients !== undefined) gauges.clients.at(api, stream).value += clients;
      if (lag !== undefined) gauges.lag.at(api, stream).value += lag;
      gauges.blocked.at(api, stream).value += blocked?.batches ?? 0;
      for (const status of statuses) {
        inStatus.at(api, stream, status).value += status === state.status ? 1 : 0;
      }
    }
    const one = (key: keyof DeliveryCounters) =>
      seriesOf(metricTable[key], totals, (counters) => ({ value: counters[key] }));
    return {
      received: one("received"),
      delivered: one("delivered"),
      failed: one("failed"),
      written: one("written"),
      retried: one("retried"),
      deadLettered: one("deadLettered"),
      inFlight: one("inFlight"),
      clients: counted("clients", gauges.clients),
      lag: counted("lag", gauges.lag),
      blocked: counted("blocked", gauges.blocked),
      status: counted("status", inStatus),
    };
  }
}

function addTo(total: DeliveryCounters, counters: Readonly<DeliveryCounters>): void {
  for (const key of counterKeys) total[key] += counters[key];
  total.inFlight += counters.inFlight;
}

function ofProcess() {
  const { user, system } = process.cpuUsage();
  const only = (value: number): readonly MetricSeries[] => [{ labels: [], value }];
  return {
    cpu: only((user + system) / 1e6),
    memory: only(process.memoryUsage.rss()),
    started: only(performance.timeOrigin / 1000),
  };
}

function counted(key: MetricKey, numbers: ByLabels<Count>): readonly MetricSeries[] {
  return seriesOf(metricTable[key], numbers, ({ value }) => ({ value }));
}

function distributed(key: MetricKey, numbers: ByLabels<Histogram>): readonly MetricSeries[] {
  return seriesOf(metricTable[key], numbers, (histogram) => ({
    value: histogram.sum,
    count: histogram.count,
    buckets: histogram.buckets(),
  }));
}

function seriesOf<T>(
  { labels }: MetricDefinition,
  numbers: ByLabels<T>,
  read: (own: T) => Omit<MetricSeries, "labels">,
): readonly MetricSeries[] {
  return numbers.all().map(({ values, own }) => ({
    labels: labels.map((name, index) => [name, values[index] ?? ""] as const),
    ...read(own),
  }));
}
