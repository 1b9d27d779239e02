// Checked documents in, the plan out: what the gateway runs. Reports nothing; whatever could be wrong was
// said by the phases before.

import { invariant } from "../diagnostics/invariant.ts";
import type { ApiDocument, ApiSet, FieldNode, ObjectField, StreamNode } from "../parse/document/api.ts";
import { listenPathOf } from "../parse/document/listen-path.ts";
import { findText, toJson } from "../parse/document/tree.ts";
import { planMessageSchemas } from "./message-schemas.ts";
import type { ApiPlan, FieldPlan, ObjectPlan, Plan, SettingsPlan, StreamPlan } from "./plan.ts";
import { planComponent, planField, type ScriptPlanner } from "./plan-field.ts";
import { planRoutes } from "./routes.ts";

/** The plan of a set that checks without errors. */
export function planSet(set: ApiSet, scripts: ScriptPlanner): Plan {
  return {
    settings: planSettings(set, scripts),
    apis: set.apis.filter(isActive).map((api) => planApi(api, set, scripts)),
  };
}

function planSettings(set: ApiSet, scripts: ScriptPlanner): SettingsPlan {
  const { settings, settingsFields } = set;
  // Documents named on the command line are a set that streams; a gateway.yaml has to say so.
  if (settings === undefined) return { streaming: true };
  const streaming = findField(settingsFields, "streaming", "enabled");
  const listen = findField(settingsFields, "listen");
  const adminListen = findField(settingsFields, "admin", "listen");
  const limits = findField(settingsFields, "limits");
  return {
    streaming: streaming?.kind === "Literal" && streaming.value === true,
    ...(listen !== undefined && listen.kind !== "Object" ? { listen: planField(listen, scripts) } : {}),
    ...(adminListen === undefined ? {} : { adminListen: planField(adminListen, scripts) }),
    ...(limits?.kind === "Object" ? { limits: planObject(limits, scripts) } : {}),
  };
}

function planApi(api: ApiDocument, set: ApiSet, scripts: ScriptPlanner): ApiPlan {
  const listenPath = listenPathOf(api);
  const upstream = findField(api.gatewayFields, "upstream", "url");
  const name = findText(api.gateway, "info", "name");
  return {
    id: api.id,
    ...(name === undefined ? {} : { name }),
    file: api.file.path,
    listenPath,
    ...(upstream === undefined || isEmptyText(upstream) ? {} : { upstream: planField(upstream, scripts) }),
    streams: api.streams.map((stream) => planStream(stream, api, set, listenPath, scripts)),
  };
}

function planStream(
  stream: StreamNode,
  api: ApiDocument,
  set: ApiSet,
  listenPath: string,
  scripts: ScriptPlanner,
): StreamPlan {
  const { input, output } = stream;
  invariant(input !== undefined && output !== undefined, "a checked stream has an input and an output");
  const path = api.openapi === undefined ? "" : `x-gw-streaming.streams.${stream.name}.`;
  const plannedInput = planComponent(input, `${path}input.${input.name}`, scripts);
  const plannedOutput = planComponent(output, `${path}output.${output.name}`, scripts);
  const errorHandling = planErrorHandling(stream, set, `${path}error_handling`, scripts);
  return {
    name: stream.name,
    origin: { span: stream.nameSpan, path: path === "" ? stream.name : path.slice(0, -1) },
    input: plannedInput,
    pipeline: stream.processors.map((processor, index) =>
      planComponent(processor, `${path}pipeline.processors[${index}].${processor.name}`, scripts),
    ),
    output: plannedOutput,
    ...(errorHandling === undefined ? {} : { errorHandling }),
    routes: [...planRoutes(plannedInput, listenPath), ...planRoutes(plannedOutput, listenPath)],
    schemas: planMessageSchemas(stream, api, plannedInput, plannedOutput),
  };
}

/** The stream's own `error_handling`, else the set's. */
function planErrorHandling(
  stream: StreamNode,
  set: ApiSet,
  path: string,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  if (stream.errorHandling === undefined) {
    const common = findField(set.settingsFields, "error_handling");
    return common?.kind === "Object" ? planObject(common, scripts) : undefined;
  }
  const settings = Object.entries(toJson(stream.errorHandling) ?? {}).flatMap(([name, value]): FieldPlan[] =>
    typeof value === "string" || typeof value === "number"
      ? [{ name, value: { kind: "Literal", value }, defaulted: false }]
      : [],
  );
  const { deadLetter } = stream;
  if (deadLetter === undefined) return { kind: "Object", fields: settings };
  const output = planComponent(deadLetter, `${path}.output.${deadLetter.name}`, scripts);
  return { kind: "Object", fields: [...settings, { name: "output", value: output, defaulted: false }] };
}

function planObject(field: ObjectField, scripts: ScriptPlanner): ObjectPlan {
  const fields = field.fields.map(({ name, value }) => ({
    name,
    value: planField(value, scripts),
    defaulted: false,
  }));
  return { kind: "Object", fields };
}

function isActive(api: ApiDocument): boolean {
  const active = findField(api.gatewayFields, "info", "state", "active");
  return !(active?.kind === "Literal" && active.value === false);
}

function isEmptyText(field: FieldNode): boolean {
  return field.kind === "Literal" && field.value === "";
}

function findField(field: FieldNode | undefined, ...path: readonly string[]): FieldNode | undefined {
  let at = field;
  for (const name of path) {
    if (at?.kind !== "Object") return undefined;
    at = at.fields.find((each) => each.name === name)?.value;
  }
  return at;
}
