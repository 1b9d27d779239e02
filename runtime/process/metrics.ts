// Metrics that documents define, and their output for Prometheus.

/** The type of a metric for Prometheus; a `summary` has only a sum and a count here. */
export type MetricKind = "counter" | "gauge" | "summary";

/** The current values of a metric. */
export interface MetricFamily {
  readonly name: string;
  readonly kind: MetricKind | "histogram";
  /** A description for operators; one line. */
  readonly help?: string;
  readonly series: readonly MetricSeries[];
}

/** The value for one set of labels. */
export interface MetricSeries {
  readonly labels: Labels;
  /** For summaries and histograms, the sum of the recorded values. */
  readonly value: number;
  /** The number of recorded values, for summaries and histograms. */
  readonly count?: number;
  /**
   * For histograms: for each bound in order, the number of values up to it; values above the last bound are only in
   * `count`.
   */
  readonly buckets?: readonly (readonly [bound: number, count: number])[];
}

/** Names and values of labels, sorted by name. */
export type Labels = readonly (readonly [name: string, value: string])[];

/** The parts of a process that it monitors and that belong to none of its APIs. */
export interface Watched {
  metrics(): readonly MetricFamily[];
  /** Returns notes for operators about the current state, such as an expired certificate. */
  notes(): readonly string[];
}

/**
 * The parts of the runtime that monitor something register here, so that a gateway without them contains none of
 * their code.
 */
export const watched: Set<Watched> = /* @__PURE__ */ new Set();

/** The most sets of labels of one metric: labels computed from messages could be unlimited. */
const maxSeries = 1000;

interface Series {
  readonly labels: Labels;
  value: number;
  count: number;
}

/** One metric of a gateway, with a value for each set of labels. */
export class Metric {
  readonly kind: MetricKind;
  readonly #series = new Map<string, Series>();

  constructor(kind: MetricKind) {
    this.kind = kind;
  }

  /** Records a value; returns false and records nothing if there would be too many sets of labels. */
  record(labels: Labels, value: number): boolean {
    const key = JSON.stringify(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= maxSeries) return false;
      series = { labels, value: 0, count: 0 };
      this.#series.set(key, series);
    }
    series.value = this.kind === "gauge" ? value : series.value + value;
    series.count++;
    return true;
  }

  /** Returns the current values. */
  series(): readonly MetricSeries[] {
    return [...this.#series.values()].map((series) => ({ ...series }));
  }
}

interface Registered {
  /** The printed name. */
  readonly shown: string;
  readonly organisation: string | undefined;
  readonly help: string | undefined;
  readonly metric: Metric;
}

/** The organisation that owns a metric, and a description for operators; one line. */
export interface MetricOwner {
  readonly organisation?: string | undefined;
  readonly help?: string;
}

/** The metrics of one gateway by name. */
export class MetricRegistry {
  readonly #known = new Map<string, Registered>();

  /**
   * Returns the metric with this name, of one organisation or of the whole gateway; creates it at the first call.
   * `undefined` if it has another kind. If a name has another kind in another organisation, the kind is appended to
   * the printed name.
   */
  find(name: string, kind: MetricKind, { organisation, help }: MetricOwner = {}): Metric | undefined {
    const key = organisation === undefined ? name : JSON.stringify([organisation, name]);
    const present = this.#known.get(key)?.metric;
    if (present !== undefined) return present.kind === kind ? present : undefined;
    const metric = new Metric(kind);
    this.#known.set(key, { shown: this.#shownName(name, kind), organisation, help, metric });
    return metric;
  }

  /** Returns all metrics, sorted by name; those of organisations have a label with the organisation. */
  families(): readonly MetricFamily[] {
    const byName = Map.groupBy(this.#known.values(), ({ shown }) => shown);
    return [...byName]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, [first, ...others]]) =>
        first === undefined
          ? []
          : [
              {
                name,
                kind: first.metric.kind,
                help: first.help ?? "Recorded by processors of streams",
                series: [first, ...others].flatMap(seriesOf),
              },
            ],
      );
  }

  #shownName(name: string, kind: MetricKind): string {
    const isTaken = [...this.#known.values()].some(
      ({ shown, metric }) => shown === name && metric.kind !== kind,
    );
    return isTaken ? this.#shownName(`${name}_${kind}`, kind) : name;
  }
}

function seriesOf({ metric, organisation }: Registered): readonly MetricSeries[] {
  if (organisation === undefined) return metric.series();
  const own = ["organisation", organisation] as const;
  return metric.series().map((each) => {
    const labels = each.labels.filter(([name]) => name !== "organisation");
    return { ...each, labels: [...labels, own] };
  });
}

/** Returns metrics in the text format of Prometheus; each line has the labels of `common`, too. */
export function printMetrics(families: readonly MetricFamily[], common: Labels = []): string {
  return families.map((family) => printFamily(family, common)).join("");
}

function printFamily({ name, kind, help, series }: MetricFamily, common: Labels): string {
  const lines = series.flatMap(({ labels, value, count = 0, buckets = [] }) => {
    const own = [...labels, ...common];
    const shown = printLabels(own);
    if (kind === "counter" || kind === "gauge") return [`${name}${shown} ${printNumber(value)}`];
    const bounds = [
      ...buckets,
      ...(kind === "histogram" ? [[Number.POSITIVE_INFINITY, count] as const] : []),
    ];
    return [
      ...bounds.map(
        ([bound, below]) => `${name}_bucket${printLabels([...own, ["le", printNumber(bound)]])} ${below}`,
      ),
      `${name}_sum${shown} ${printNumber(value)}`,
      `${name}_count${shown} ${count}`,
    ];
  });
  const described = help === undefined ? [] : [`# HELP ${name} ${help}`];
  return [`# TYPE ${name} ${kind}`, ...described, ...lines].map((line) => `${line}\n`).join("");
}

/** Joins the output of several processes: the lines of a metric must be adjacent, after its description. */
export function joinMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, string>();
  for (const text of texts) {
    for (const part of text.split(/^(?=# TYPE )/m).filter(Boolean)) {
      const lines = part.split(/(?<=\n)/);
      const isComment = (line: string) => line.startsWith("#");
      const head = lines.filter(isComment).join("");
      const samples = lines.filter((line) => !isComment(line)).join("");
      metrics.set(head, (metrics.get(head) ?? "") + samples);
    }
  }
  return [...metrics]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([head, samples]) => head + samples)
    .join("");
}

function printLabels(labels: Labels): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `${printLabelName(name)}="${escapeValue(value)}"`).join(",")}}`;
}

/** Replaces characters that the format does not allow in names by `_`. */
function printLabelName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d|$)/, "_");
}

function escapeValue(value: string): string {
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function printNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : Number.isNaN(value) ? "NaN" : "-Inf";
}
