// Sends metrics and traces to an OpenTelemetry collector, with OTLP over HTTP.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { abort } from "../../concurrency/abort.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import type { Environment } from "../../process/environment.ts";
import type { ObservedGateway } from "../../stream/observer.ts";
import type { OpenTelemetryOptions } from "../generated/opentelemetry-options.ts";
import type { MetricExporter } from "../measure.ts";
import { MetricRequests } from "./metrics.ts";
import { attributesOf, type KeyValue } from "./otlp.ts";
import { OtlpSender } from "./sender.ts";
import { readSettings, type SignalSettings } from "./settings.ts";
import { Spans } from "./spans.ts";
import { trace } from "./tracing.ts";

/**
 * Returns an exporter that sends metrics at intervals and spans soon after they have ended, and both once more when
 * the gateway stops. With traces enabled, `traceparent` is propagated from requests and messages to messages. Reads
 * the `OTEL_…` variables that `readSettings` names.
 */
export function openTelemetry(env: Environment, options: OpenTelemetryOptions): MetricExporter {
  const settings = readSettings(env, options);
  const ending = new AbortController();
  let spans: Spans | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sendMetrics: (() => Promise<unknown>) | undefined;
  const id = randomUUID();
  const senderOf = (
    signal: "metrics" | "traces",
    own: SignalSettings,
    { log: of, worker }: ObservedGateway,
  ) => {
    const log = of.with({ component: "opentelemetry" });
    const sender = new OtlpSender(signal, own, log);
    const send = (body: object) => sender.send(body, ending.signal);
    return { log, send, resource: resourceOf(settings.resource, id, worker) };
  };
  const { metrics, traces } = settings;
  return {
    ...(traces !== undefined && {
      ...trace(settings.sampling, (span) => spans?.add(span)),
      start(gateway) {
        const { log, send, resource } = senderOf("traces", traces, gateway);
        spans = new Spans(settings.spans, resource, log, send);
      },
    }),
    ...(metrics !== undefined && {
      read(gateway, snapshot) {
        const { send, resource } = senderOf("metrics", metrics, gateway);
        const requests = new MetricRequests(settings.temporality, resource);
        sendMetrics = oneAtATime(() => requests.send(snapshot(), send));
        timer = setInterval(sendMetrics, settings.interval).unref();
      },
    }),
    async close(deadline) {
      clearInterval(timer);
      spans?.stop();
      // A request in flight does not contain the final values: send them again after it.
      const last = sendMetrics?.().then(sendMetrics);
      await settlesWithin(Promise.all([last, spans?.flush()]), deadline);
      abort(ending);
    },
  };
}

/** Returns a function that runs `work`; a call while it is running returns the running work. */
function oneAtATime(work: () => Promise<unknown>): () => Promise<unknown> {
  let working: Promise<unknown> | undefined;
  return () => {
    working ??= work().finally(() => {
      working = undefined;
    });
    return working;
  };
}

function resourceOf(
  attributes: Readonly<Record<string, string>>,
  id: string,
  worker: number | undefined,
): readonly KeyValue[] {
  return attributesOf({
    "service.name": "sluice",
    "service.instance.id": id,
    "host.name": hostname(),
    "process.pid": process.pid,
    "telemetry.sdk.name": "sluice",
    "telemetry.sdk.language": "nodejs",
    "sluice.worker": worker,
    ...attributes,
  });
}
