// Converts metrics to OTLP, either cumulative since the process started or as the difference since the previous export.

import type { Labels, MetricFamily, MetricSeries } from "../../process/metrics.ts";
import type { Snapshot } from "../measure.ts";
import { type MetricDefinition, metricTable } from "../metric-table.ts";
import { attributesOf, type KeyValue, labelNames, nanosecondsAt, scope } from "./otlp.ts";
import type { SendOutcome } from "./sender.ts";
import type { Temporality } from "./settings.ts";

/** Enumeration values of OTLP. */
const delta = 1;
const cumulative = 2;

/** The names that the OpenTelemetry conventions define for some of our metrics. */
const conventions: Readonly<Record<string, string>> = {
  [metricTable.requestDuration.name]: "http.server.request.duration",
};

/** Sends requests to `/v1/metrics`, one after the other. */
export class MetricRequests {
  readonly #temporality: Temporality;
  readonly #resource: readonly KeyValue[];
  /**
   * The time of the last export that is not to be repeated, and its values, which the next differences are computed
   * from.
   */
  #before = 0;
  #known: ReadonlyMap<string, MetricSeries> = new Map();

  constructor(temporality: Temporality, resource: readonly KeyValue[]) {
    this.#temporality = temporality;
    this.#resource = resource;
  }

  /** Sends the metrics. Values that a collector cannot accept now are part of the next request. */
  async send(
    { measured, custom }: Snapshot,
    send: (body: object) => Promise<SendOutcome>,
  ): Promise<SendOutcome> {
    const now = performance.now();
    const seen = new Map<string, MetricSeries>();
    const own = measured
      .filter(({ series }) => series.length > 0)
      .map(({ definition, series }) => ({
        name: conventions[definition.name] ?? definition.name,
        description: definition.help,
        unit: unitOf(definition),
        ...this.#points(definition.name, definition.kind, series, now, seen),
      }));
    const ofProcessors = custom.map(({ name, kind, series }) => ({
      name,
      ...this.#points(`custom ${name}`, kind, series, now, seen),
    }));
    const outcome = await send({
      resourceMetrics: [
        {
          resource: { attributes: this.#resource },
          scopeMetrics: [{ scope, metrics: [...own, ...ofProcessors] }],
        },
      ],
    });
    if (outcome !== "again") {
      this.#before = now;
      this.#known = seen;
    }
    return outcome;
  }

  #points(
    name: string,
    kind: MetricFamily["kind"],
    series: readonly MetricSeries[],
    now: number,
    seen: Map<string, MetricSeries>,
  ): object {
    const isDelta = this.#isDelta(kind);
    const times = {
      startTimeUnixNano: nanosecondsAt(isDelta ? this.#before : 0),
      timeUnixNano: nanosecondsAt(now),
    };
    if (!isDelta) return pointsOf(kind, series, times, cumulative);
    const since = series.map((each) => {
      const key = JSON.stringify([name, each.labels]);
      seen.set(key, each);
      return difference(each, this.#known.get(key));
    });
    return pointsOf(kind, since, times, delta);
  }

  #isDelta(kind: MetricFamily["kind"]): boolean {
    if (kind === "histogram") return this.#temporality !== "cumulative";
    return kind === "counter" && this.#temporality === "delta";
  }
}

/** Returns the change of a series since its state `before`. */
function difference(series: MetricSeries, before: MetricSeries | undefined): MetricSeries {
  if (before === undefined) return series;
  const { labels, value, count, buckets } = series;
  return {
    labels,
    value: value - before.value,
    ...(count !== undefined && { count: count - (before.count ?? 0) }),
    ...(buckets !== undefined && {
      buckets: buckets.map(([bound, below], index) => [bound, below - (before.buckets?.[index]?.[1] ?? 0)]),
    }),
  };
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

function unitOf({ unit }: MetricDefinition): string {
  return unit ?? "1";
}

function pointsOf(
  kind: MetricFamily["kind"],
  series: readonly MetricSeries[],
  time: Times,
  aggregationTemporality: number,
): object {
  const point = (each: MetricSeries) => ({ attributes: namesOf(each.labels), ...time });
  const numbers = () => series.map((each) => ({ ...point(each), asDouble: each.value }));
  switch (kind) {
    case "counter":
      return { sum: { aggregationTemporality, isMonotonic: true, dataPoints: numbers() } };
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
          aggregationTemporality,
          dataPoints: series.map((each) => ({ ...point(each), ...distribution(each) })),
        },
      };
  }
}

/** Converts a histogram: OTLP buckets count the values between two bounds, and one more those above the last bound. */
function distribution({ value, count = 0, buckets = [] }: MetricSeries): object {
  const upTo = [...buckets.map(([, below]) => below), count];
  return {
    count: String(count),
    sum: value,
    explicitBounds: buckets.map(([bound]) => bound),
    bucketCounts: upTo.map((below, index) => String(below - (upTo[index - 1] ?? 0))),
  };
}

/** Converts labels to attributes: HTTP statuses are numbers in OTLP, statuses of streams are text. */
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
