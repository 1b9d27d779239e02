// Numbers that documents ask for, as Prometheus reads them.

/** What a metric is to Prometheus: a `summary` here has a sum and a count. */
export type MetricKind = "counter" | "gauge" | "summary";

/** Names and values of labels, in the order of their names. */
export type Labels = readonly (readonly [name: string, value: string])[];

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

  /** The lines of the metric, by the text format of Prometheus; each has `common` among its labels. */
  print(name: string, common: Labels): string {
    const lines = [...this.#series.values()].flatMap(({ labels, value, count }) => {
      const shown = printLabels([...labels, ...common]);
      if (this.kind !== "summary") return [`${name}${shown} ${printNumber(value)}`];
      return [`${name}_sum${shown} ${printNumber(value)}`, `${name}_count${shown} ${count}`];
    });
    return [`# TYPE ${name} ${this.kind}`, ...lines].map((line) => `${line}\n`).join("");
  }
}

/** The metrics of each gateway: several may run in one process. */
const registries = /* @__PURE__ */ new WeakMap<object, Map<string, Metric>>();

/** The metric of a gateway under a name, made at the first call; `undefined` where it is of another kind. */
export function findMetric(gateway: object, name: string, kind: MetricKind): Metric | undefined {
  const known = registries.get(gateway) ?? new Map<string, Metric>();
  registries.set(gateway, known);
  const metric = known.get(name) ?? new Metric(kind);
  known.set(name, metric);
  return metric.kind === kind ? metric : undefined;
}

/** All metrics of a gateway by name, with labels that tell it from others. */
export function printMetrics(gateway: object, common: Labels = []): string {
  const known = [...(registries.get(gateway) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  return known.map(([name, metric]) => metric.print(name, common)).join("");
}

/** What several processes print as one text: a metric's lines have to stand together. */
export function joinMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, string>();
  for (const text of texts) {
    for (const part of text.split(/^(?=# TYPE )/m).filter(Boolean)) {
      const [head, ...lines] = part.split(/(?<=\n)/);
      if (head !== undefined) metrics.set(head, (metrics.get(head) ?? "") + lines.join(""));
    }
  }
  return [...metrics]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([head, lines]) => head + lines)
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
