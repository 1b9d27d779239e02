// Sends metrics to a StatsD server (statsd, docs/metric_types.md), in UDP datagrams without acknowledgement.

import { createSocket, type Socket } from "node:dgram";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Logger } from "../process/log.ts";
import type { Labels } from "../process/metrics.ts";
import { type AttemptRecord, unknownLabel } from "./attempt-record.ts";
import { type StatsdOptions, statsdDefaults } from "./generated/statsd-options.ts";
import { ByLabels } from "./instruments.ts";
import type { MetricExporter, Snapshot } from "./measure.ts";
import { metricTable } from "./metric-table.ts";

/** The largest datagram, in bytes, that every network transmits without fragmentation. */
const datagramSize = 1432;

/**
 * Returns an exporter that sends at intervals: the increase of counters, the values of gauges, and single durations,
 * of which it keeps a sample if there are many. Lost datagrams are not sent again.
 */
export function statsd(options: StatsdOptions): MetricExporter {
  const settings = { ...statsdDefaults, ...options };
  const timings = {
    requests: new ByLabels(() => new Timings()),
    deliveries: new ByLabels(() => new Timings()),
  };
  let sender: Sender | undefined;
  return {
    attempt: () => (record) => recordRequest(timings.requests, record),
    stream: (api, stream) => ({
      began(batch) {
        const started = performance.now();
        return {
          batch,
          ended(failure) {
            if (failure === undefined) timings.deliveries.at(api, stream).record(performance.now() - started);
          },
        };
      },
    }),
    read({ log, worker }, snapshot) {
      const labels: Labels = worker === undefined ? [] : [["worker", String(worker)]];
      const names = new StatsdNames(settings.prefix, settings.tags, labels);
      sender = new Sender(settings, log, () => linesOf(snapshot(), timings, names));
    },
    async close(deadline) {
      await sender?.close(deadline);
    },
  };
}

interface AllTimings {
  readonly requests: ByLabels<Timings>;
  readonly deliveries: ByLabels<Timings>;
}

function recordRequest(requests: ByLabels<Timings>, record: AttemptRecord): void {
  const { api = unknownLabel, verb, route = unknownLabel, transport, duration } = record;
  if (transport === "http") requests.at(api, verb, route).record(duration);
}

/** Returns the lines of one interval; counters and durations start again from zero afterwards. */
function linesOf({ measured, custom }: Snapshot, timings: AllTimings, names: StatsdNames): readonly string[] {
  const own = measured.flatMap(({ definition: { name, kind }, series }) =>
    kind === "histogram" ? [] : series.map(({ labels, value }) => names.line(name, labels, kind, value)),
  );
  const ofProcessors = custom.flatMap(({ name, kind, series }) =>
    series.flatMap(({ labels, value, count = 0 }) =>
      kind === "counter" || kind === "gauge"
        ? [names.line(name, labels, kind, value)]
        : [
            names.line(`${name}.sum`, labels, "counter", value),
            names.line(`${name}.count`, labels, "counter", count),
          ],
    ),
  );
  const timed = [
    ...timingLines(metricTable.requestDuration, timings.requests, names),
    ...timingLines(metricTable.deliveryDuration, timings.deliveries, names),
  ];
  return [...own, ...ofProcessors, ...timed].filter((line) => line !== undefined);
}

function timingLines(
  { name, labels }: { readonly name: string; readonly labels: readonly string[] },
  timings: ByLabels<Timings>,
  names: StatsdNames,
): readonly string[] {
  return timings.all().flatMap(({ values, own }) => {
    const { kept, rate } = own.take();
    const shown = labels.map((label, index) => [label, values[index] ?? ""] as const);
    return kept.map((milliseconds) => names.timing(name, shown, milliseconds, rate));
  });
}

/** Sends lines at intervals, and once more at the end. */
class Sender {
  readonly #host: string;
  readonly #port: number;
  readonly #log: Logger;
  readonly #lines: () => readonly string[];
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  #isFailing = false;

  constructor(
    { address, interval }: { readonly address: string; readonly interval: number },
    log: Logger,
    lines: () => readonly string[],
  ) {
    const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
    this.#host = host;
    this.#port = Number(port);
    this.#log = log.with({ component: "statsd" });
    this.#lines = lines;
    this.#socket = createSocket(host.includes(":") ? "udp6" : "udp4").unref();
    this.#socket.on("error", (error) => this.#logFailure(error));
    this.#timer = setInterval(() => void this.#send(), Math.max(1, interval)).unref();
  }

  async close(deadline: number): Promise<void> {
    clearInterval(this.#timer);
    await settlesWithin(this.#send(), deadline);
    this.#socket.close();
  }

  async #send(): Promise<void> {
    await Promise.all(datagrams(this.#lines()).map((datagram) => this.#sendOne(datagram)));
  }

  #sendOne(datagram: string): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.send(datagram, this.#port, this.#host, (error) => {
        this.#logFailure(error ?? undefined);
        resolve();
      });
    });
  }

  /**
   * Logs the first failure, such as an unknown host or a network that is down, and then nothing until sending works
   * again.
   */
  #logFailure(error: Error | undefined): void {
    if (error !== undefined && !this.#isFailing) this.#log.warn("metrics cannot be sent", { error });
    this.#isFailing = error !== undefined;
  }
}

function datagrams(lines: readonly string[]): readonly string[] {
  const packed: string[] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const more = Buffer.byteLength(line) + 1;
    if (size + more > datagramSize) {
      packed.push(line);
      size = more;
    } else {
      packed[packed.length - 1] += `\n${line}`;
      size += more;
    }
  }
  return packed;
}

/** Formats lines, and remembers the values of counters in the previous line. */
class StatsdNames {
  readonly #prefix: string;
  readonly #tags: "none" | "datadog";
  readonly #common: Labels;
  readonly #before = new Map<string, number>();

  /** `common`: labels of every line. */
  constructor(prefix: string, tags: "none" | "datadog", common: Labels) {
    this.#prefix = prefix;
    this.#tags = tags;
    this.#common = common;
  }

  /** Returns the line of a gauge, or of a counter that has increased. No gauge here is negative. */
  line(name: string, labels: Labels, kind: "counter" | "gauge", value: number): string | undefined {
    const { start, end } = this.#around(name, labels);
    if (kind === "gauge") return `${start}:${value}|g${end}`;
    const grown = value - (this.#before.get(start + end) ?? 0);
    this.#before.set(start + end, value);
    return grown === 0 ? undefined : `${start}:${grown}|c${end}`;
  }

  /** Returns the line of one duration, which represents `1 / rate` durations. */
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

/** Replaces characters that have a meaning in names: `/orders/{id}` becomes `orders_id`. */
function plain(text: string, others: RegExp): string {
  return text.replaceAll(others, "_").replaceAll(/_+/g, "_").replaceAll(/^_|_$/g, "") || "_";
}

/** The most durations that are kept. */
const most = 200;

/** A random sample of durations. */
export class Timings {
  #kept: number[] = [];
  #count = 0;

  record(milliseconds: number): void {
    this.#count += 1;
    if (this.#kept.length < most) {
      this.#kept.push(milliseconds);
      return;
    }
    // Reservoir sampling: the newest replaces a random one, so that each has the same probability of being kept.
    const place = Math.floor(Math.random() * this.#count);
    if (place < most) this.#kept[place] = milliseconds;
  }

  /** Returns the sample, and its share of all durations; starts a new sample. */
  take(): { readonly kept: readonly number[]; readonly rate: number } {
    const taken = { kept: this.#kept, rate: this.#count === 0 ? 1 : this.#kept.length / this.#count };
    this.#kept = [];
    this.#count = 0;
    return taken;
  }
}
