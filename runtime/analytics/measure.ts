// Counts the events of a gateway, for exporters that print or send metrics.

import type { GatewayError } from "../errors.ts";
import { reasonOf } from "../failures/description.ts";
import type { Labels, MetricFamily, MetricSeries } from "../process/metrics.ts";
import type { ObservedGateway, StreamObserver } from "../stream/observer.ts";
import type { StreamState, StreamStatus } from "../stream/stream-state.ts";
import { createCounters, type DeliveryCounters } from "../stream/stream-state.ts";
import type { BegunAttempt } from "./attempt-record.ts";
import { type AttemptRecord, transportOf, unknownLabel } from "./attempt-record.ts";
import { ByLabels, Count, Histogram } from "./instruments.ts";
import type { AnalyticsListener } from "./listener.ts";
import { type MetricDefinition, type MetricKey, metricTable } from "./metric-table.ts";

/** The current values of a metric of the table. */
export interface Measured {
  readonly definition: MetricDefinition;
  readonly series: readonly MetricSeries[];
}

/** The exported data: the gateway's own metrics, and the metrics that documents define. */
export interface Snapshot {
  readonly measured: readonly Measured[];
  readonly custom: readonly MetricFamily[];
}

/** An exporter of metrics. */
export interface MetricExporter extends Omit<AnalyticsListener, "metrics"> {
  /** Called when the gateway listens, after `start`; `snapshot` may be called at any time. */
  read?(gateway: ObservedGateway, snapshot: () => Snapshot): void;
  /** As `Listener.metrics`. */
  print?(measured: readonly Measured[], common: Labels): string;
}

/**
 * Returns listeners that count for `exporters` and pass them the results; the exporters may also listen themselves.
 * Nothing is counted if none of them reads or prints it.
 */
export function measure(...exporters: readonly MetricExporter[]): readonly AnalyticsListener[] {
  const listening = exporters.map(({ read: _read, print: _print, ...listener }) => listener);
  if (exporters.every(({ read, print }) => read === undefined && print === undefined)) return listening;
  const numbers = new Numbers();
  let gateway: ObservedGateway | undefined;
  const measured = () => numbers.measure(gateway?.states() ?? []);
  const counting: AnalyticsListener = {
    attempt: (begun) => numbers.attempt(begun),
    malformed: (error) => numbers.malformed(error),
    stream: (api, stream) => numbers.stream(api, stream),
  };
  const reading: AnalyticsListener = {
    start(given) {
      gateway = given;
      const snapshot = () => ({ measured: measured(), custom: given.customMetrics() });
      for (const exporter of exporters) exporter.read?.(given, snapshot);
    },
    metrics: (common) => exporters.map(({ print }) => print?.(measured(), common) ?? "").join(""),
  };
  return [counting, ...listening, reading];
}

/** The counters of streams that the table contains. */
const counterKeys = ["received", "delivered", "failed", "written", "retried", "deadLettered"] as const;

/** The states that are exported even if no stream is in them, so that alerts can refer to them. */
const statuses: readonly StreamStatus[] = [
  "starting",
  "running",
  "blocked",
  "waiting",
  "finished",
  "draining",
  "failed",
];

/** Counts events and returns the results. */
class Numbers {
  readonly #requests = new ByLabels(() => new Count());
  readonly #refusals = new ByLabels(() => new Count());
  readonly #durations = new ByLabels(() => new Histogram());
  readonly #received = new ByLabels(() => new Count());
  readonly #sent = new ByLabels(() => new Count());
  readonly #open = new Set<BegunAttempt>();
  /** All label values for which something was open at any time, so that their gauges return to 0. */
  readonly #opened = new ByLabels(() => new Count());
  readonly #deliveries = new ByLabels(() => new Histogram());
  readonly #failures = new ByLabels(() => new Count());
  /** The counters of stopped stream instances: instances come and go, but their counts remain. */
  readonly #ended = new ByLabels(createCounters);

  /** As `Listener.attempt`. */
  attempt(begun: BegunAttempt): (record: AttemptRecord) => void {
    this.#open.add(begun);
    return (record) => {
      this.#open.delete(begun);
      if (!record.isPassedOn) this.#count(record);
    };
  }

  /** As `Listener.malformed`. */
  malformed({ status, reason }: GatewayError): void {
    this.#requests.at(unknownLabel, unknownLabel, unknownLabel, String(status)).value += 1;
    this.#refusals.at(unknownLabel, reason ?? reasonOf(status)).value += 1;
  }

  /** As `Listener.stream`. */
  stream(api: string, stream: string): StreamObserver {
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
            else if (!failure.isReturn) this.#failures.at(api, stream, String(failure.status)).value += 1;
          },
        };
      },
      ended(counters) {
        for (const key of counterKeys) ended[key] += counters[key];
      },
    };
  }

  /** Returns all metrics; `states`: the current states of the streams. */
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
    const keys = Object.keys(metricTable) as MetricKey[]; // the keys of a constant object are those of its type
    return keys.map((key) => ({ definition: metricTable[key], series: series[key] }));
  }

  #count(record: AttemptRecord): void {
    const { api = unknownLabel, verb, route = unknownLabel, status, transport, refusal } = record;
    this.#requests.at(api, verb, route, String(status)).value += 1;
    if (refusal !== undefined) this.#refusals.at(api, refusal).value += 1;
    if (transport === "http") this.#durations.at(api, verb, route).record(record.duration / 1000);
    if (record.received !== undefined) this.#received.at(api).value += record.received;
    if (record.sent !== undefined) this.#sent.at(api).value += record.sent;
  }

  #openNow(): readonly MetricSeries[] {
    for (const { own } of this.#opened.all()) own.value = 0;
    for (const begun of this.#open) {
      if (begun.attempt.call?.isPassedOn) continue;
      const api = begun.attempt.call?.api?.api.definition.id ?? unknownLabel;
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
    // A stopped stream was already counted when it stopped.
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
