// The settings of the export, from gateway.yaml or from the variables that OpenTelemetry defines for all programs.

import { httpUrl } from "../../generated/formats.ts";
import type { Environment } from "../../process/environment.ts";
import { between, oneOf } from "../../process/environment-limits.ts";
import { credentialsOf } from "../../requests/basic-credentials.ts";
import { percentDecode } from "../../text/percent.ts";
import type { OpenTelemetryOptions } from "../generated/opentelemetry-options.ts";

/**
 * Whether sums and distributions are cumulative since the start or differences since the previous export; with
 * `lowmemory` only distributions are differences (OpenTelemetry, metrics exporter over OTLP).
 */
export type Temporality = "cumulative" | "delta" | "lowmemory";

/** The destination of one signal. */
export interface SignalSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The timeout of a request, in milliseconds. */
  readonly timeout: number;
  readonly compression: "none" | "gzip";
  readonly protocol: "http/json" | "http/protobuf";
}

/** How spans are collected before they are sent. */
export interface SpanSettings {
  /** Milliseconds between two exports. */
  readonly delay: number;
  /** The most spans that may wait; further ones are dropped. */
  readonly mostWaiting: number;
  /** The most spans in one request. */
  readonly mostSent: number;
}

/** Which traces are recorded. */
export interface Sampling {
  /** The share of the traces that begin here. */
  readonly ratio: number;
  /** Whether a trace with a parent follows the parent's sampling decision. */
  readonly followsParent: boolean;
}

/** All settings of the exporter. */
export interface OpenTelemetrySettings {
  readonly metrics: SignalSettings | undefined;
  readonly traces: SignalSettings | undefined;
  /** Milliseconds between two exports of metrics. */
  readonly interval: number;
  readonly temporality: Temporality;
  readonly spans: SpanSettings;
  readonly sampling: Sampling;
  readonly resource: Readonly<Record<string, string>>;
}

/** The most milliseconds that a timer can wait. */
const longest = 2 ** 31 - 1;
const defaultEndpoint = "http://localhost:4318";

/** Reads the settings; fields of the document take precedence over variables. */
export function readSettings(env: Environment, options: OpenTelemetryOptions): OpenTelemetrySettings {
  const isOff = env.boolean("OTEL_SDK_DISABLED", false);
  const wants = (signal: Signal, written: boolean | undefined) =>
    !isOff && (written ?? env.list(`OTEL_${signal}_EXPORTER`, ["otlp"]).includes("otlp"));
  return {
    metrics: wants("METRICS", options.metrics) ? readSignal("METRICS", env, options) : undefined,
    traces: wants("TRACES", options.traces) ? readSignal("TRACES", env, options) : undefined,
    interval: options.interval ?? env.integer("OTEL_METRIC_EXPORT_INTERVAL", 60_000, between(1, longest)),
    temporality:
      options.temporality ??
      env.text(
        "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
        "cumulative",
        oneOf("cumulative", "delta", "lowmemory"),
      ),
    spans: {
      delay: env.integer("OTEL_BSP_SCHEDULE_DELAY", 5_000, between(1, longest)),
      mostWaiting: env.integer("OTEL_BSP_MAX_QUEUE_SIZE", 2048, between(1)),
      mostSent: env.integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, between(1)),
    },
    sampling: readSampling(env, options.sample_ratio),
    resource: {
      ...readPairs(env, "OTEL_RESOURCE_ATTRIBUTES"),
      ...options.resource_attributes,
      ...nameOf(options.service_name ?? env.text("OTEL_SERVICE_NAME", "")),
    },
  };
}

type Signal = "METRICS" | "TRACES";

/** Returns the attribute for a given name, which takes precedence over the resource attributes. */
function nameOf(name: string): Readonly<Record<string, string>> {
  return name === "" ? {} : { "service.name": name };
}

function readSignal(signal: Signal, env: Environment, options: OpenTelemetryOptions): SignalSettings {
  const address = readAddress(signal, env, options.endpoint);
  const timeout = env.integer(
    `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`,
    env.integer("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000, between(1, longest)),
    between(1, longest),
  );
  const { url, headers } = withoutCredentials(address);
  return {
    url,
    headers: {
      ...headers,
      ...readPairs(env, "OTEL_EXPORTER_OTLP_HEADERS"),
      ...readPairs(env, `OTEL_EXPORTER_OTLP_${signal}_HEADERS`),
      ...options.headers,
    },
    timeout: options.timeout ?? timeout,
    compression:
      options.compression ?? env.text("OTEL_EXPORTER_OTLP_COMPRESSION", "none", oneOf("none", "gzip")),
    protocol: options.protocol ?? readProtocol(signal, env),
  };
}

/** Reads the protocol; `grpc`, which needs HTTP/2 and another address, is reported as a problem. */
function readProtocol(signal: Signal, env: Environment): SignalSettings["protocol"] {
  const known = oneOf("http/json", "http/protobuf");
  const ofAll = env.text("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", known);
  return env.text(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, ofAll, known);
}

/** Returns the address: the variable of one signal is a complete address; to the general one, paths are appended. */
function readAddress(signal: Signal, env: Environment, written: string | undefined): string {
  if (written !== undefined) return pathOf(written, signal);
  const own = env.text(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, "", httpUrl);
  return own || pathOf(env.text("OTEL_EXPORTER_OTLP_ENDPOINT", defaultEndpoint, httpUrl), signal);
}

function pathOf(base: string, signal: Signal): string {
  return `${base.replace(/\/$/, "")}/v1/${signal.toLowerCase()}`;
}

/** Moves credentials to a header: clients refuse addresses with credentials, and quote them in errors. */
function withoutCredentials(address: string): Pick<SignalSettings, "url" | "headers"> {
  const parsed = URL.parse(address);
  if (parsed === null) return { url: address, headers: {} };
  const { url, authorization } = credentialsOf(parsed);
  return { url: url.href, headers: authorization === undefined ? {} : { authorization } };
}

function readSampling(env: Environment, written: number | undefined): Sampling {
  if (written !== undefined) return { ratio: written, followsParent: true };
  const name = env.text(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    oneOf(
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ),
  );
  const share = env.number("OTEL_TRACES_SAMPLER_ARG", 1);
  const ratio = name.endsWith("always_on") ? 1 : name.endsWith("always_off") ? 0 : share;
  return { ratio, followsParent: name.startsWith("parentbased_") };
}

/** Parses `a=1,b=2` with percent escapes in values, like W3C Baggage; ignores items without `=`. */
function readPairs(env: Environment, name: string): Record<string, string> {
  const pairs = env
    .text(name, "")
    .split(",")
    .flatMap((pair): [string, string][] => {
      const at = pair.indexOf("=");
      return at < 1 ? [] : [[pair.slice(0, at).trim(), percentDecode(pair.slice(at + 1).trim())]];
    });
  return Object.fromEntries(pairs);
}
