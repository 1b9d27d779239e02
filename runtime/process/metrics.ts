// Numbers that documents ask for, and how numbers are printed for Prometheus.

/** What a metric is to Prometheus: a `summary` here has a sum and a count. */
export type MetricKind = "counter" | "gauge" | "summary";

/** The present value of a metric. */
export interface MetricFamily {
  readonly name: string;
  readonly kind: MetricKind | "histogram";
  /** What it counts, for people; one line. */
  readonly help?: string;
  readonly series: readonly MetricSeries[];
}

/** The number for one set of labels. */
export interface MetricSeries {
  readonly labels: Labels;
  /** Of summaries and histograms the sum of what was recorded. */
  readonly value: number;
  /** How often something was recorded; of summaries and histograms. */
  readonly count?: number;
  /** Of histograms: how many were at most each bound, in order; those above the last bound are only in `count`. */
  readonly buckets?: readonly (readonly [bound: number, count: number])[];
}

/** Names and values of labels, in the order of their names. */
export type Labels = readonly (readonly [name: string, value: string])[];

/** What a process watches that belongs to none of its APIs. */
export interface Watched {
  metrics(): readonly MetricFamily[];
  /** What operators should know now, such as a certificate that has expired. */
  notes(): readonly string[];
}

/** Filled by the parts of the runtime that watch something, so that a gateway without them carries nothing of it. */
export const watched: Set<Watched> = /* @__PURE__ */ new Set();

/** Different sets of labels that one metric may have: labels computed of messages could be without end. */
const maxSeries = 1000;

interface Series {
  readonly labels: Labels;
  value: number;
  count: number;
}

/** One metric of a gateway, with a number for each set of labels. */
export class Metric {
  readonly kind: MetricKind;
  readonly #series = new Map<string, Series>();

  constructor(kind: MetricKind) {
    this.kind = kind;
  }

  /** Counts or measures; false where there would be too many sets of labels, and nothing was recorded. */
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

  /** The numbers as they stand now. */
  series(): readonly MetricSeries[] {
    return [...this.#series.values()].map((series) => ({ ...series }));
  }
}

interface Registered {
  /** The name that is printed. */
  readonly shown: string;
  readonly organisation: string | undefined;
  readonly help: string | undefined;
  readonly metric: Metric;
}

/** Whose a metric is, and what it counts, for people; one line. */
export interface MetricOwner {
  readonly organisation?: string | undefined;
  readonly help?: string;
}

/** The metrics of one gateway by name. */
export class MetricRegistry {
  readonly #known = new Map<string, Registered>();

  /**
   * The metric under a name, of one organisation or of the whole gateway, made at the first call; `undefined` where it is
   * of another kind. A name that means another kind to another organisation is shown with the kind behind it.
   */
  find(name: string, kind: MetricKind, { organisation, help }: MetricOwner = {}): Metric | undefined {
    const key = organisation === undefined ? name : JSON.stringify([organisation, name]);
    const present = this.#known.get(key)?.metric;
    if (present !== undefined) return present.kind === kind ? present : undefined;
    const metric = new Metric(kind);
    this.#known.set(key, { shown: this.#shownName(name, kind), organisation, help, metric });
    return metric;
  }

  /** All metrics, by name; those of organisations have a label with the organisation. */
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

/** Metrics by the text format of Prometheus; each line has `common` among its labels. */
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

/** What several processes print as one text: a metric's lines have to stand together, after what describes it. */
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

/** Other characters than the format has for names become `_`. */
function printLabelName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d|$)/, "_");
}

function escapeValue(value: string): string {
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function printNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : Number.isNaN(value) ? "NaN" : "-Inf";
}
