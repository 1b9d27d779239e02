// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Sends metrics and traces to a collector, by OTLP over HTTP. Where a field is not written, the variable that OpenTelemetry has for it counts.
 */
export interface OpenTelemetryOptions {
  /**
   * Address of the collector; `/v1/metrics` and `/v1/traces` are appended. By default what `OTEL_EXPORTER_OTLP_ENDPOINT` says, or `http://localhost:4318`.
   */
  readonly endpoint?: string;
  /**
   * Headers of every request, such as credentials; `OTEL_EXPORTER_OTLP_HEADERS`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether metrics are sent.
   */
  readonly metrics?: boolean;
  /**
   * Whether traces are sent, and `traceparent` carried on from requests and messages to messages.
   */
  readonly traces?: boolean;
  /**
   * Time between two sendings of metrics; `OTEL_METRIC_EXPORT_INTERVAL`, or 60 seconds.
   */
  readonly interval?: number;
  /**
   * Time the collector has to answer; `OTEL_EXPORTER_OTLP_TIMEOUT`, or 10 seconds.
   */
  readonly timeout?: number;
  /**
   * How requests are packed; `OTEL_EXPORTER_OTLP_COMPRESSION`, or not at all.
   */
  readonly compression?: "none" | "gzip";
  /**
   * How requests are written; `OTEL_EXPORTER_OTLP_PROTOCOL`, or JSON.
   */
  readonly protocol?: "http/json" | "http/protobuf";
  /**
   * Whether counters and histograms say what there has been since the start, or since the sending before; `lowmemory` has the latter for histograms alone. `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE`, or `cumulative`.
   */
  readonly temporality?: "cumulative" | "delta" | "lowmemory";
  /**
   * What the gateway is called; `OTEL_SERVICE_NAME`, or `sluice`.
   */
  readonly service_name?: string;
  /**
   * Further attributes of the resource, in addition to `OTEL_RESOURCE_ATTRIBUTES`.
   */
  readonly resource_attributes?: Readonly<Record<string, string>>;
  /**
   * Share of the traces that start here to be recorded; for other traces the sampling decision of their parent is kept. Default: `OTEL_TRACES_SAMPLER`, else all.
   */
  readonly sample_ratio?: number;
}

/** What the fields hold that a document leaves out. */
export const openTelemetryDefaults = {
  metrics: true,
  traces: true
} as const satisfies Partial<OpenTelemetryOptions>;
