// Counts what happens in a gateway, for exporters that print or send numbers.

import type { Labels, MetricFamily, MetricSeries } from "../process/metrics.ts";
import type { ObservedGateway } from "../stream/observer.ts";
import type { Listener } from "./listener.ts";
import type { MetricDefinition } from "./metric-table.ts";
import { Numbers } from "./numbers.ts";

/** A number of the table as it stands now. */
export interface Measured {
  readonly definition: MetricDefinition;
  readonly series: readonly MetricSeries[];
}

/** What is exported: the gateway's own numbers, and those that documents ask for. */
export interface Snapshot {
  readonly measured: readonly Measured[];
  readonly custom: readonly MetricFamily[];
}

/** Somebody who gets numbers to where they are read. */
export interface MetricExporter extends Omit<Listener, "start" | "metrics"> {
  /** The gateway listens; `snapshot` may be called at any time. */
  start?(gateway: ObservedGateway, snapshot: () => Snapshot): void;
  /** As `Listener.metrics`. */
  print?(measured: readonly Measured[], common: Labels): string;
}

/** Listeners that count for `exporters`, which are given what was counted, and listen themselves where they want to. */
export function measure(...exporters: readonly MetricExporter[]): readonly Listener[] {
  const numbers = new Numbers();
  let gateway: ObservedGateway | undefined;
  const measured = () => numbers.measure(gateway?.states() ?? []);
  const counting: Listener = {
    attempt: (begun) => numbers.attempt(begun),
    malformed: (error) => numbers.malformed(error),
    stream: (api, stream) => numbers.stream(api, stream),
    start(given) {
      gateway = given;
      const snapshot = () => ({ measured: measured(), custom: given.customMetrics() });
      for (const exporter of exporters) exporter.start?.(given, snapshot);
    },
    metrics: (common) => exporters.map(({ print }) => print?.(measured(), common) ?? "").join(""),
  };
  const listening = exporters.map(({ start: _start, print: _print, ...listener }) => listener);
  return [counting, ...listening];
}
