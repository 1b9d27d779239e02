// `analytics` of gateway.yaml and `trafficLogs` of documents in, what counts and records out.

import type { ApiDocument, ApiSet, ObjectField } from "../trees/api.ts";
import { findField, findObject } from "./find-field.ts";
import type { AnalyticsPlan, ExporterName, ExporterPlan } from "./plan.ts";
import { planObject, type ScriptPlanner } from "./plan-field.ts";

const exporterNames: readonly ExporterName[] = ["prometheus", "opentelemetry", "statsd"];

/** What the set asks for, and the log where an API is `logged`; `enabled` is known now, as it decides what is in the gateway. */
export function planAnalytics(set: ApiSet, logged: boolean, scripts: ScriptPlanner): AnalyticsPlan {
  const block = findObject(set.settingsFields, "analytics");
  return {
    exporters: exporterNames.flatMap((name) => planExporter(name, findObject(block, name), scripts)),
    logged,
  };
}

function planExporter(
  name: ExporterName,
  block: ObjectField | undefined,
  scripts: ScriptPlanner,
): readonly ExporterPlan[] {
  if (block === undefined || isOff(block)) return [];
  const { fields } = planObject(block, scripts);
  const options = fields.filter((field) => field.name !== "enabled");
  const origin = { span: block.span, path: `analytics.${name}` };
  return [{ name, origin, options: { kind: "Object", fields: options } }];
}

function isOff(block: ObjectField): boolean {
  const enabled = findField(block, "enabled");
  return enabled?.kind === "Literal" && enabled.value === false;
}

/** Whether a document asks for `trafficLogs`. */
export function isLogged(api: ApiDocument): boolean {
  const enabled = findField(api.gatewayFields, "middleware", "global", "trafficLogs", "enabled");
  return enabled?.kind === "Literal" && enabled.value === true;
}
