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
    help: "Completed connection attempts: requests, event streams and WebSocket upgrades",
    labels: ["api", "verb", "route", "status"],
  },
  refusals: {
    name: "sluice.requests.refused",
    kind: "counter",
    help: "Connection attempts that the gateway rejected with an error",
    labels: ["api", "reason"],
  },
  requestDuration: {
    name: "sluice.request.duration",
    kind: "histogram",
    unit: "s",
    help: "Duration of requests, except for responses that are held open",
    labels: ["api", "verb", "route"],
  },
  open: {
    name: "sluice.connections.open",
    kind: "gauge",
    help: "Requests in progress, open event streams and open sockets",
    labels: ["api", "transport"],
  },
  bytesReceived: {
    name: "sluice.received",
    kind: "counter",
    unit: "By",
    help: "Bytes received from clients, including headers",
    labels: ["api"],
  },
  bytesSent: {
    name: "sluice.sent",
    kind: "counter",
    unit: "By",
    help: "Bytes sent to clients, including headers",
    labels: ["api"],
  },
  received: {
    name: "sluice.messages.received",
    kind: "counter",
    help: "Messages received from inputs, including redeliveries",
    labels: ["api", "stream"],
  },
  delivered: {
    name: "sluice.messages.delivered",
    kind: "counter",
    help: "Messages acknowledged, dropped intentionally or written to the dead-letter output",
    labels: ["api", "stream"],
  },
  failed: {
    name: "sluice.messages.failed",
    kind: "counter",
    help: "Messages that were rejected to their input",
    labels: ["api", "stream"],
  },
  written: {
    name: "sluice.messages.written",
    kind: "counter",
    help: "Messages that the output acknowledged",
    labels: ["api", "stream"],
  },
  retried: {
    name: "sluice.messages.retried",
    kind: "counter",
    help: "Messages that were redelivered, or requested again, after a rejection",
    labels: ["api", "stream"],
  },
  deadLettered: {
    name: "sluice.messages.dead_lettered",
    kind: "counter",
    help: "Messages that were written to the dead-letter output",
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
    help: "Time from the receipt of a batch to its acknowledgement",
    labels: ["api", "stream"],
  },
  deliveryFailures: {
    name: "sluice.delivery.failures",
    kind: "counter",
    help: "Batches that were not delivered, by the status that callers receive",
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
    help: "Messages that wait at the broker, as last reported",
    labels: ["api", "stream"],
  },
  blocked: {
    name: "sluice.batches.blocked",
    kind: "gauge",
    help: "Batches that cannot be delivered now and are being retried",
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
    help: "CPU time used by the process",
    labels: [],
  },
  memory: {
    name: "process.memory.usage",
    prometheus: "process_resident_memory_bytes",
    kind: "gauge",
    unit: "By",
    help: "Resident memory of the process",
    labels: [],
  },
  started: {
    name: "process.start.time",
    prometheus: "process_start_time_seconds",
    kind: "gauge",
    unit: "s",
    help: "Start time of the process, in seconds since the Unix epoch",
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
