// What is sent where: from gateway.yaml, else from the variables that OpenTelemetry defines for all programs.

import { httpUrl } from "../../generated/formats.ts";
import type { Environment } from "../../process/environment.ts";
import { between, oneOf } from "../../process/environment-limits.ts";
import { credentialsOf } from "../../requests/basic-credentials.ts";
import type { OpenTelemetryOptions } from "../generated/opentelemetry-options.ts";

/**
 * What sums and distributions are of: everything since the start, or what came since the sending before; `lowmemory` is the
 * latter for distributions alone (OpenTelemetry, metrics exporter over OTLP).
 */
export type Temporality = "cumulative" | "delta" | "lowmemory";

/** Where one signal goes. */
export interface SignalSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds the collector has to answer. */
  readonly timeout: number;
  readonly compression: "none" | "gzip";
  readonly protocol: "http/json" | "http/protobuf";
}

/** How spans are collected before they are sent. */
export interface SpanSettings {
  /** Milliseconds between two sendings. */
  readonly delay: number;
  /** Spans that may wait; further ones are dropped. */
  readonly mostWaiting: number;
  /** Spans of one request. */
  readonly mostSent: number;
}

/** Which traces are recorded. */
export interface Sampling {
  /** Share of those that begin here. */
  readonly ratio: number;
  /** Whether the decision of the trace's root counts. */
  readonly followsParent: boolean;
}

/** Everything there is to know before anything is sent. */
export interface OpenTelemetrySettings {
  readonly metrics: SignalSettings | undefined;
  readonly traces: SignalSettings | undefined;
  /** Milliseconds between two sendings of metrics. */
  readonly interval: number;
  readonly temporality: Temporality;
  readonly spans: SpanSettings;
  readonly sampling: Sampling;
  readonly resource: Readonly<Record<string, string>>;
}

/** Milliseconds that a timer can wait. */
const longest = 2 ** 31 - 1;
const defaultEndpoint = "http://localhost:4318";

/** Fields that are written win. */
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

/** A name that is given wins over one among the attributes. */
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

/** `grpc` needs HTTP/2 and another address: it is reported. */
function readProtocol(signal: Signal, env: Environment): SignalSettings["protocol"] {
  const known = oneOf("http/json", "http/protobuf");
  const ofAll = env.text("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", known);
  return env.text(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, ofAll, known);
}

/** The variable of one signal is a whole address, that of all is what paths are appended to. */
function readAddress(signal: Signal, env: Environment, written: string | undefined): string {
  if (written !== undefined) return pathOf(written, signal);
  const own = env.text(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, "", httpUrl);
  return own || pathOf(env.text("OTEL_EXPORTER_OTLP_ENDPOINT", defaultEndpoint, httpUrl), signal);
}

function pathOf(base: string, signal: Signal): string {
  return `${base.replace(/\/$/, "")}/v1/${signal.toLowerCase()}`;
}

/** Who asks goes into a header: clients refuse such addresses, and quote them. */
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

/** `a=1,b=2` with percent escapes in values, as W3C Baggage has it; what has no `=` is passed over. */
function readPairs(env: Environment, name: string): Record<string, string> {
  const pairs = env
    .text(name, "")
    .split(",")
    .flatMap((pair): [string, string][] => {
      const at = pair.indexOf("=");
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())]];
    });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that means itself
  }
}
