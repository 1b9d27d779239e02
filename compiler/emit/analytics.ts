// What counts and records as code: `(env) => observe(...measure(prometheus()), accessLog(["orders"]))`.

import type { AnalyticsPlan } from "../plan/plan.ts";
import { accessLogLink, exporterLinks, measureLink, observeLink } from "./analytics-links.ts";
import { type Code, call, code, linkTo, raw } from "./code.ts";
import type { RuntimeLink } from "./links.ts";
import { emitValue, readsEnvironment, type ValueContext } from "./value.ts";

/** The maker of the observer; `undefined` where nothing listens. */
export function emitAnalytics({ exporters, logged }: AnalyticsPlan, context: ValueContext): Code | undefined {
  if (exporters.length + logged.length === 0) return undefined;
  const made = exporters.map(({ name, options }) => {
    const written = emitValue(options, { ...context, path: `analytics.${name}` });
    const own = exporterLinks[name];
    const given = options.fields.length === 0 && name === "prometheus" ? [] : [written];
    return call(link(own), own.readsVariables === true ? [raw("env"), written] : given);
  });
  const listeners = [
    ...(made.length === 0 ? [] : [code`...${call(link(measureLink), made)}`]),
    ...(logged.length === 0 ? [] : [call(link(accessLogLink), [code`${[...logged]}`])]),
  ];
  const reads = exporters.some(
    ({ name, options }) => exporterLinks[name].readsVariables === true || readsEnvironment(options),
  );
  return code`${raw(reads ? "(env)" : "()")} => ${call(link(observeLink), listeners)}`;
}

function link({ module, symbol }: RuntimeLink): Code {
  return linkTo(module, symbol);
}
