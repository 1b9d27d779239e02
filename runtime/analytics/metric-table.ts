// All metrics that a gateway exports, and their names in each format.

import type { MetricKind } from "../process/metrics.ts";

/** The definition of a metric. */
export interface MetricDefinition {
  /** The name for OpenTelemetry and StatsD. */
  readonly name: string;
  /** The name for Prometheus, if it is not the result of `prometheusName`. */
  readonly prometheus?: string;
  readonly kind: Exclude<MetricKind, "summary"> | "histogram";
  readonly unit?: "s" | "By";
  readonly help: string;
  readonly labels: readonly string[];
}

/** The metrics by their keys. */
export const metricTable = {
  requests: {
    name: "sluice.requests",
    kind: "counter",
    help: "Connection attempts that are over: requests, event streams and WebSocket upgrades",
    labels: ["api", "verb", "route", "status"],
  },
  refusals: {
    name: "sluice.requests.refused",
    kind: "counter",
    help: "Connection attempts that the gateway itself answered with an error",
    labels: ["api", "reason"],
  },
  requestDuration: {
    name: "sluice.request.duration",
    kind: "histogram",
    unit: "s",
    help: "From the head of a request to the end of its answer; answers that are held open are left out",
    labels: ["api", "verb", "route"],
  },
  open: {
    name: "sluice.connections.open",
    kind: "gauge",
    help: "Requests under way, event streams and sockets that are open",
    labels: ["api", "transport"],
  },
  bytesReceived: {
    name: "sluice.received",
    kind: "counter",
    unit: "By",
    help: "Bytes that came from clients, heads included",
    labels: ["api"],
  },
  bytesSent: {
    name: "sluice.sent",
    kind: "counter",
    unit: "By",
    help: "Bytes that went to clients, heads included",
    labels: ["api"],
  },
  received: {
    name: "sluice.messages.received",
    kind: "counter",
    help: "Messages that inputs handed over; one that is tried again counts again",
    labels: ["api", "stream"],
  },
  delivered: {
    name: "sluice.messages.delivered",
    kind: "counter",
    help: "Messages that were confirmed, dropped on purpose or handed to the dead-letter output",
    labels: ["api", "stream"],
  },
  failed: {
    name: "sluice.messages.failed",
    kind: "counter",
    help: "Messages that were refused to their input",
    labels: ["api", "stream"],
  },
  written: {
    name: "sluice.messages.written",
    kind: "counter",
    help: "Messages that the output confirmed",
    labels: ["api", "stream"],
  },
  retried: {
    name: "sluice.messages.retried",
    kind: "counter",
    help: "Messages that were handed over again, or asked for again, after they were refused",
    labels: ["api", "stream"],
  },
  deadLettered: {
    name: "sluice.messages.dead_lettered",
    kind: "counter",
    help: "Messages that were handed to the dead-letter output",
    labels: ["api", "stream"],
  },
  inFlight: {
    name: "sluice.messages.in_flight",
    kind: "gauge",
    help: "Messages between their input and their acknowledgement",
    labels: ["api", "stream"],
  },
  deliveryDuration: {
    name: "sluice.delivery.duration",
    kind: "histogram",
    unit: "s",
    help: "From the receipt of a batch to its acknowledgement",
    labels: ["api", "stream"],
  },
  deliveryFailures: {
    name: "sluice.delivery.failures",
    kind: "counter",
    help: "Batches that were not delivered, by the status that a caller gets",
    labels: ["api", "stream", "status"],
  },
  clients: {
    name: "sluice.clients",
    kind: "gauge",
    help: "Clients connected to the output of a stream",
    labels: ["api", "stream"],
  },
  lag: {
    name: "sluice.source.lag",
    kind: "gauge",
    help: "Messages that wait at the broker, as far as it has told with the latest ones",
    labels: ["api", "stream"],
  },
  blocked: {
    name: "sluice.batches.blocked",
    kind: "gauge",
    help: "Batches that cannot be delivered now and are tried again",
    labels: ["api", "stream"],
  },
  status: {
    name: "sluice.streams",
    kind: "gauge",
    help: "Streams, or instances of them, in each state",
    labels: ["api", "stream", "status"],
  },
  cpu: {
    name: "process.cpu.time",
    prometheus: "process_cpu_seconds_total",
    kind: "counter",
    unit: "s",
    help: "Processor time the process has used",
    labels: [],
  },
  memory: {
    name: "process.memory.usage",
    prometheus: "process_resident_memory_bytes",
    kind: "gauge",
    unit: "By",
    help: "Memory of the process that is resident",
    labels: [],
  },
  started: {
    name: "process.start.time",
    prometheus: "process_start_time_seconds",
    kind: "gauge",
    unit: "s",
    help: "When the process started, in seconds since 1970",
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The keys of `metricTable`. */
export type MetricKey = keyof typeof metricTable;

const unitNames = { s: "_seconds", By: "_bytes" } as const;

/** Returns the name for Prometheus, which by convention ends with the unit and `_total`. */
export function prometheusName({ name, prometheus, kind, unit }: MetricDefinition): string {
  if (prometheus !== undefined) return prometheus;
  const base = name.replaceAll(".", "_");
  return base + (unit === undefined ? "" : unitNames[unit]) + (kind === "counter" ? "_total" : "");
}
