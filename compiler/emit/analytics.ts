// What counts and records as code: `(env) => observe(...measure(prometheus()), accessLog())`.

import type { AnalyticsPlan, RuntimeLink } from "../plan/plan.ts";
import { accessLogLink, exporterLinks, measureLink, observeLink } from "./analytics-links.ts";
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
