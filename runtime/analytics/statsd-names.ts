// How a number is written for a StatsD server: `sluice.messages.received.orders.intake:12|c`, or with tags
// `sluice.messages.received:12|c|#api:orders,stream:intake`.

import type { Labels } from "../process/metrics.ts";

/** Writes lines, and remembers what counters were when they were last written. */
export class StatsdNames {
  readonly #prefix: string;
  readonly #tags: "none" | "datadog";
  readonly #common: Labels;
  readonly #before = new Map<string, number>();

  /** `common` stands on every line. */
  constructor(prefix: string, tags: "none" | "datadog", common: Labels) {
    this.#prefix = prefix;
    this.#tags = tags;
    this.#common = common;
  }

  /** The line of a gauge, or that of a counter which has grown; a gauge is below 0 for nobody here. */
  line(name: string, labels: Labels, kind: "counter" | "gauge", value: number): string | undefined {
    const { start, end } = this.#around(name, labels);
    if (kind === "gauge") return `${start}:${value}|g${end}`;
    const grown = value - (this.#before.get(start + end) ?? 0);
    this.#before.set(start + end, value);
    return grown === 0 ? undefined : `${start}:${grown}|c${end}`;
  }

  /** The line of one duration, which stands for `1 / rate` of them. */
  timing(name: string, labels: Labels, milliseconds: number, rate: number): string {
    const { start, end } = this.#around(name, labels);
    const sampled = rate < 1 ? `|@${rate.toFixed(6)}` : "";
    return `${start}:${milliseconds.toFixed(3)}|ms${sampled}${end}`;
  }

  #around(name: string, labels: Labels): { readonly start: string; readonly end: string } {
    const all = [...labels, ...this.#common];
    const start = this.#prefix + plain(name, /[^\w.-]/g);
    if (this.#tags === "none") {
      const parts = all.map(([label, value]) =>
        label === "worker" ? `worker_${value}` : plain(value, /[^\w-]/g),
      );
      return { start: [start, ...parts].join("."), end: "" };
    }
    const tags = all.map(([label, value]) => `${label}:${value.replaceAll(/[|,#\s]/g, "_")}`);
    return { start, end: tags.length === 0 ? "" : `|#${tags.join(",")}` };
  }
}

/** `/orders/{id}` is `orders_id` where dots and colons have a meaning of their own. */
function plain(text: string, others: RegExp): string {
  return text.replaceAll(others, "_").replaceAll(/_+/g, "_").replaceAll(/^_|_$/g, "") || "_";
}
