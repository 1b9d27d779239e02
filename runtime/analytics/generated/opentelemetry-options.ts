// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Sends metrics and traces to a collector, by OTLP over HTTP. If a field is not set, the corresponding OpenTelemetry environment variable applies.
 */
export interface OpenTelemetryOptions {
  /**
   * Address of the collector. `/v1/metrics` and `/v1/traces` are appended. Defaults to `OTEL_EXPORTER_OTLP_ENDPOINT`, or to `http://localhost:4318`.
   */
  readonly endpoint?: string;
  /**
   * Headers of every request, such as credentials. Defaults to `OTEL_EXPORTER_OTLP_HEADERS`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether metrics are sent.
   */
  readonly metrics?: boolean;
  /**
   * Whether traces are sent, and `traceparent` is propagated from requests and messages to messages.
   */
  readonly traces?: boolean;
  /**
   * Interval between two exports of metrics. Defaults to `OTEL_METRIC_EXPORT_INTERVAL`, or to 60 seconds.
   */
  readonly interval?: number;
  /**
   * Timeout for a response of the collector. Defaults to `OTEL_EXPORTER_OTLP_TIMEOUT`, or to 10 seconds.
   */
  readonly timeout?: number;
  /**
   * Compression of requests. Defaults to `OTEL_EXPORTER_OTLP_COMPRESSION`, or to no compression.
   */
  readonly compression?: "none" | "gzip";
  /**
   * Encoding of requests. Defaults to `OTEL_EXPORTER_OTLP_PROTOCOL`, or to JSON.
   */
  readonly protocol?: "http/json" | "http/protobuf";
  /**
   * Whether counters and histograms report totals since the start, or changes since the previous export. `lowmemory` reports changes for histograms only. Defaults to `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE`, or to `cumulative`.
   */
  readonly temporality?: "cumulative" | "delta" | "lowmemory";
  /**
   * Service name of the gateway. Defaults to `OTEL_SERVICE_NAME`, or to `sluice`.
   */
  readonly service_name?: string;
  /**
   * Further resource attributes, in addition to `OTEL_RESOURCE_ATTRIBUTES`.
   */
  readonly resource_attributes?: Readonly<Record<string, string>>;
  /**
   * Ratio of the traces starting in the gateway that are recorded. Other traces keep the sampling decision of their parent. Defaults to `OTEL_TRACES_SAMPLER`, or to all traces.
   */
  readonly sample_ratio?: number;
}

/** What the fields hold that a document leaves out. */
export const openTelemetryDefaults = {
  metrics: true,
  traces: true
} as const satisfies Partial<OpenTelemetryOptions>;
