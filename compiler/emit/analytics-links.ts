// Which functions of the runtime count and record. A test proves that each row is a real export.

import type { ExporterName, RuntimeLink } from "../plan/plan.ts";

/** The function that makes an exporter of its options. */
export interface ExporterLink extends RuntimeLink {
  /** It is given the environment before them, as it reads variables of its own. */
  readonly readsVariables?: boolean;
}

/** Exporters by their name in `gateway.yaml`. */
export const exporterLinks: Readonly<Record<ExporterName, ExporterLink>> = {
  prometheus: { module: "runtime/analytics/prometheus.ts", symbol: "prometheus" },
  opentelemetry: {
    module: "runtime/analytics/opentelemetry/exporter.ts",
    symbol: "openTelemetry",
    readsVariables: true,
  },
  statsd: { module: "runtime/analytics/statsd.ts", symbol: "statsd" },
};

/** What counts for exporters. */
export const measureLink: RuntimeLink = { module: "runtime/analytics/measure.ts", symbol: "measure" };

/** What writes attempts to connect to the log. */
export const accessLogLink: RuntimeLink = { module: "runtime/analytics/access-log.ts", symbol: "accessLog" };

/** What makes one observer of all listeners. */
export const observeLink: RuntimeLink = { module: "runtime/analytics/observe.ts", symbol: "observe" };
