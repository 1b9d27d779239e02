// `analytics` of gateway.yaml and `trafficLogs` of documents in, what counts and records out.

import type { SettingsModel } from "../model/settings.ts";
import type { WrittenBlock } from "../model/written.ts";
import type { AnalyticsPlan, ExporterName, ExporterPlan } from "./plan.ts";
import { planObject, type ScriptPlanner } from "./plan-field.ts";

const exporterNames: readonly ExporterName[] = ["prometheus", "opentelemetry", "statsd"];

/** What the set asks for, and the log where an API is `logged`; `enabled` is known now, as it decides what is in the gateway. */
export function planAnalytics(
  { exporters }: SettingsModel,
  logged: boolean,
  scripts: ScriptPlanner,
): AnalyticsPlan {
  return { exporters: exporterNames.flatMap((name) => planExporter(name, exporters[name], scripts)), logged };
}

function planExporter(
  name: ExporterName,
  block: WrittenBlock | undefined,
  scripts: ScriptPlanner,
): readonly ExporterPlan[] {
  if (block?.fields === undefined || block.isOff) return [];
  const { fields } = planObject(block.fields, scripts);
  const options = fields.filter((field) => field.name !== "enabled");
  const origin = { span: block.fields.span, path: block.path };
  return [{ name, origin, options: { kind: "Object", fields: options } }];
}
