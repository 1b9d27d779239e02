// Emits a plan as `gateway.ts` and `types.ts`: the gateway as a program that reads as if it were written by hand.

import type {
  AnalyticsPlan,
  ExporterName,
  ObjectPlan,
  Plan,
  RuntimeLink,
  StorePlan,
  ValuePlan,
} from "../plan/plan.ts";
import { emitApi, emitSetting } from "./api.ts";
import { assembleGateway } from "./assemble.ts";
import { type Code, call, code, linkTo, list, objectOf, raw } from "./code.ts";
import {
  configuredKeysLink,
  countersLink,
  gatewayLink,
  leaseLinks,
  listenerLinks,
  oauthServerLink,
  storeLinks,
} from "./links.ts";
import { emitVariablePlaces } from "./manifest.ts";
import { emitWithScripts, type Scripts } from "./scripts.ts";
import { emitTypes } from "./types.ts";
import { emitValidators } from "./validators.ts";
import { emitValue, readsEnvironment, type ValueContext } from "./value.ts";

/** Emits the function that creates the observer; `undefined` if nothing observes. */
function emitAnalytics({ exporters, logged }: AnalyticsPlan, context: ValueContext): Code | undefined {
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

/** The function that creates an exporter from its options. */
interface ExporterLink extends RuntimeLink {
  /** Whether it takes the environment before the options, because it reads variables of its own. */
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

/** Creates the listener that counts for exporters. */
export const measureLink: RuntimeLink = { module: "runtime/analytics/measure.ts", symbol: "measure" };

/** Creates the listener that logs connection attempts. */
export const accessLogLink: RuntimeLink = { module: "runtime/analytics/access-log.ts", symbol: "accessLog" };

/** Combines all listeners to one observer. */
export const observeLink: RuntimeLink = { module: "runtime/analytics/observe.ts", symbol: "observe" };

/** The text of an emitted gateway. */
export interface EmittedGateway {
  /** `gateway.ts` */
  readonly gateway: string;
  /** `validators.ts`: the compiled schemas that validate requests; absent if there are none. */
  readonly validators?: string;
  /** Emits `types.ts`, the declared shapes of its messages, which are no part of the bundle. */
  types(): Promise<string>;
}

/** Emits a whole gateway. The same plan always results in the same text. */
export async function emitGateway(plan: Plan): Promise<EmittedGateway> {
  const { definition, scripts } = emitWithScripts((collected) => {
    const apis = plan.apis.map((api) => emitApi(api, collected));
    return code`${linkTo(gatewayLink.module, gatewayLink.symbol)}(${emitDefinition(plan, apis, collected)})`;
  });
  const sources = [...new Set(plan.apis.map((api) => api.file))];
  return {
    gateway: await assembleGateway({
      sources,
      types: scripts.types(),
      functions: scripts.functions(),
      definition,
    }),
    types: () => emitTypes(plan, sources),
    ...(scripts.checks().length === 0 ? {} : { validators: await emitValidators(scripts.checks(), sources) }),
  };
}

/** Returns the definition of a gateway with the emitted `apis`. */
export function emitDefinition(plan: Plan, apis: readonly Code[], scripts: Scripts): Code {
  const { streaming, listen, adminListen, tls, trustedProxies, limits, analytics } = plan.settings;
  const { counters, leases, store, keys, oauth, portal } = plan.settings;
  const context: ValueContext = { scripts, names: [], path: "", file: "gateway.yaml" };
  return objectOf([
    ["streaming", code`{ enabled: ${streaming} }`],
    ...entryOf("variables", emitVariablePlaces(plan.settings)),
    ...entryOf("listen", listen && emitSetting(listen, context)),
    ...entryOf("adminListen", adminListen && emitSetting(adminListen, context)),
    ...entryOf("tls", tls && emitMaking(tls, listenerLinks.tls, context)),
    ...entryOf(
      "trustedProxies",
      trustedProxies && emitMaking(trustedProxies, listenerLinks.proxies, context),
    ),
    ...entryOf("limits", limits && emitSetting(limits, context)),
    ...entryOf("analytics", emitAnalytics(analytics, context)),
    ...entryOf("counters", counters && emitPlaced(counters, countersLink, context)),
    ...entryOf("leases", leases && emitLeases(leases, context)),
    ...entryOf("store", store && emitStore(store, context)),
    ...entryOf("keys", keys && emitMaking(keys, store ? storeLinks.keys : configuredKeysLink, context)),
    ...entryOf("oauth", oauth && emitPlaced(oauth, store ? storeLinks.oauth : oauthServerLink, context)),
    ...entryOf("portal", portal && emitPlaced(portal, storeLinks.portal, context)),
    ["apis", list("[", apis, "]")],
  ]);
}

/** Emits a function of the environment that passes a value to a function of the runtime. */
function emitMaking(value: ValuePlan, { module, symbol }: RuntimeLink, context: ValueContext): Code {
  const made = call(linkTo(module, symbol), [emitValue(value, context)]);
  return code`${raw(readsEnvironment(value) ? "(env)" : "()")} => ${made}`;
}

/** Emits the lease store: of several, the first in the order of precedence. */
function emitLeases(options: ObjectPlan, context: ValueContext): Code | undefined {
  const names = ["jetstream", "postgres", "redis"] as const;
  const chosen = names.find((name) => options.fields.some((field) => field.name === name));
  if (chosen === undefined) return undefined;
  const fields = options.fields.filter(
    ({ name }) => name === chosen || !names.some((other) => other === name),
  );
  return emitMaking({ ...options, fields }, leaseLinks[chosen], context);
}

/** Emits `(env) => gatewayStore(env, "sqlite:./gateway.db")`. The function prefers the address in the environment. */
function emitStore({ address }: StorePlan, context: ValueContext): Code {
  const { module, symbol } = storeLinks.store;
  const written = address === undefined ? [] : [emitValue(address, context)];
  return code`(env) => ${call(linkTo(module, symbol), [raw("env"), ...written])}`;
}

/** Emits the location of counters and tokens, which can override the settings by the environment. */
function emitPlaced(options: ObjectPlan, { module, symbol }: RuntimeLink, context: ValueContext): Code {
  return code`(env) => ${call(linkTo(module, symbol), [raw("env"), emitValue(options, context)])}`;
}

function entryOf(key: string, value: Code | undefined): readonly (readonly [string, Code])[] {
  return value === undefined ? [] : [[key, value]];
}
