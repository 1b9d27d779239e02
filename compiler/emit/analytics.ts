// What counts and records as code: `(env) => observe(...measure(prometheus()), accessLog())`.

import type { AnalyticsPlan, ExporterName, RuntimeLink } from "../plan/plan.ts";
import { type Code, call, code, linkTo, raw } from "./code.ts";
import { emitValue, readsEnvironment, type ValueContext } from "./value.ts";

/** The maker of the observer; `undefined` where nothing listens. */
export function emitAnalytics({ exporters, logged }: AnalyticsPlan, context: ValueContext): Code | undefined {
  if (exporters.length === 0 && !logged) return undefined;
  const made = exporters.map(({ name, options }) => {
    const written = emitValue(options, { ...context, path: `analytics.${name}` });
    const own = exporterLinks[name];
    const given = options.fields.length === 0 && name === "prometheus" ? [] : [written];
    return call(link(own), own.readsVariables === true ? [raw("env"), written] : given);
  });
  const listeners = [
    ...(made.length === 0 ? [] : [code`...${call(link(measureLink), made)}`]),
    ...(logged ? [call(link(accessLogLink), [])] : []),
  ];
  const reads = exporters.some(
    ({ name, options }) => exporterLinks[name].readsVariables === true || readsEnvironment(options),
  );
  return code`${raw(reads ? "(env)" : "()")} => ${call(link(observeLink), listeners)}`;
}

function link({ module, symbol }: RuntimeLink): Code {
  return linkTo(module, symbol);
}

/** The function that makes an exporter of its options. */
interface ExporterLink extends RuntimeLink {
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
