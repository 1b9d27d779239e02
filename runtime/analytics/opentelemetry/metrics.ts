// Numbers as OTLP has them, cumulative: what is sent says what there has been since the process started.

import type { Labels, MetricFamily, MetricSeries } from "../../process/metrics.ts";
import type { Snapshot } from "../measure.ts";
import { type MetricDefinition, metricTable } from "../metric-table.ts";
import { attributesOf, type KeyValue, labelNames, nanosecondsAt, scope } from "./otlp.ts";

const cumulative = 2;

/** Names that OpenTelemetry has for what is ours elsewhere. */
const conventions: Readonly<Record<string, string>> = {
  [metricTable.requestDuration.name]: "http.server.request.duration",
};

/** The body of a request to `/v1/metrics`. */
export function metricsRequest({ measured, custom }: Snapshot, resource: readonly KeyValue[]): object {
  const time = { startTimeUnixNano: nanosecondsAt(0), timeUnixNano: nanosecondsAt(performance.now()) };
  const own = measured
    .filter(({ series }) => series.length > 0)
    .map(({ definition, series }) => ({
      name: conventions[definition.name] ?? definition.name,
      description: definition.help,
      unit: unitOf(definition),
      ...pointsOf(definition.kind, series, time),
    }));
  const asked = custom.map(({ name, kind, series }) => ({ name, ...pointsOf(kind, series, time) }));
  return {
    resourceMetrics: [
      { resource: { attributes: resource }, scopeMetrics: [{ scope, metrics: [...own, ...asked] }] },
    ],
  };
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

function unitOf({ unit }: MetricDefinition): string {
  return unit ?? "1";
}

function pointsOf(kind: MetricFamily["kind"], series: readonly MetricSeries[], time: Times): object {
  const point = (each: MetricSeries) => ({ attributes: namesOf(each.labels), ...time });
  const numbers = () => series.map((each) => ({ ...point(each), asDouble: each.value }));
  switch (kind) {
    case "counter":
      return { sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints: numbers() } };
    case "gauge":
      return { gauge: { dataPoints: numbers() } };
    case "summary":
      return {
        summary: {
          dataPoints: series.map((each) => ({
            ...point(each),
            count: String(each.count ?? 0),
            sum: each.value,
          })),
        },
      };
    case "histogram":
      return {
        histogram: {
          aggregationTemporality: cumulative,
          dataPoints: series.map((each) => ({ ...point(each), ...distribution(each) })),
        },
      };
  }
}

/** Buckets here hold what lies between their bounds, and one more what lies above the last. */
function distribution({ value, count = 0, buckets = [] }: MetricSeries): object {
  const upTo = [...buckets.map(([, below]) => below), count];
  return {
    count: String(count),
    sum: value,
    explicitBounds: buckets.map(([bound]) => bound),
    bucketCounts: upTo.map((below, index) => String(below - (upTo[index - 1] ?? 0))),
  };
}

/** Statuses of HTTP are numbers there; those of streams are words. */
function namesOf(labels: Labels): readonly KeyValue[] {
  return attributesOf(
    Object.fromEntries(
      labels.map(([name, value]) => {
        if (name === "status" && !/^\d+$/.test(value)) return ["sluice.stream.status", value];
        return [labelNames[name] ?? name, name === "status" ? Number(value) : value];
      }),
    ),
  );
}
