// Plans a checked set: what the gateway runs, the addresses of its APIs, and the upstreams of its requests.
// Reports no diagnostics; the previous phases reported all errors.

import { documentSchemas } from "../../schemas/catalogue.ts";
import type { CheckedSet } from "../check/checked-set.ts";
import type { DeclaredSchemas } from "../check/flow/declared-schemas.ts";
import type { NamedStep } from "../check/flow/named-steps.ts";
import { invariant } from "../diagnostics/invariant.ts";
import { type Hide, hideSecretsIn } from "../diagnostics/secrets/without-secrets.ts";
import type { ApiModel } from "../model/api.ts";
import type { ApiPlace } from "../model/places.ts";
import type { Route } from "../model/routes.ts";
import type { SetModel } from "../model/set.ts";
import type { SettingsModel } from "../model/settings.ts";
import type { WrittenBlock, WrittenValue } from "../model/written.ts";
import type { ObjectField, StreamNode } from "../trees/api.ts";
import { processorPath } from "../trees/component-paths.ts";
import { type DocumentNode, findNode } from "../trees/document.ts";
import { callersOfRoute, type FindCallers, planAccess, planCallers } from "./callers.ts";
import { countersLimit, isCounted, planCounters } from "./counters.ts";
import { withDefaults } from "./defaults.ts";
import { createStepPlanner } from "./message-steps.ts";
import type {
  AnalyticsPlan,
  ApiPlan,
  ExporterName,
  ExporterPlan,
  FieldPlan,
  ObjectPlan,
  Plan,
  RoutePlan,
  SettingsPlan,
  StreamPlan,
  ValuePlan,
  VersionsPlan,
} from "./plan.ts";
import { planComponent, planField, planObject, type ScriptPlanner } from "./plan-field.ts";
import { planKeys, planOauth, planProtections } from "./protections/protections.ts";
import { planResources } from "./resources.ts";
import { isLeased, isSpread } from "./spread.ts";
import { planPortal, planStore, withPortal } from "./store.ts";
import { requestVariablesOf } from "./values.ts";

/** The fields that configure how requests are sent; the other fields select which requests are sent. */
const names: ReadonlySet<string> = new Set([
  ...["url", "preserveHostHeader", "allowedOverrideHeaders", "timeouts", "tls", "tlsTransport", "proxy"],
]);

/** Returns the upstream of an API; an empty object if the document has no address. */
function planUpstream(api: ApiModel, scripts: ScriptPlanner): Pick<ApiPlan, "upstream" | "upstreamOrigin"> {
  const { fields: block, url } = api.upstream;
  if (block === undefined || url === undefined || (url.kind === "Literal" && url.value === "")) return {};
  const written = planObject(block, scripts);
  const { fields } = withDefaults(
    { kind: "Object", fields: written.fields.filter(({ name }) => names.has(name)) },
    documentSchemas.apiGateway.properties?.upstream ?? {},
  );
  const strip = api.stripsListenPath;
  const stripping = strip === undefined ? [] : [stripsListenPath(planField(strip, scripts))];
  return {
    upstream: { kind: "Object", fields: [...fields.filter(({ name }) => names.has(name)), ...stripping] },
    upstreamOrigin: { span: url.span, path: "x-gw-api-gateway.upstream.url" },
  };
}

function stripsListenPath(value: FieldPlan["value"]): FieldPlan {
  const isDefault = value.kind === "Literal" && value.value === true;
  return { name: "stripsListenPath", value, defaulted: isDefault };
}

/** The context for planning a whole set. */
interface Planning {
  readonly set: SetModel;
  /** The routes of the whole set, collected in one pass: there may be 10,000 streams. */
  readonly routes: ReadonlyMap<StreamNode, readonly Route[]>;
  readonly places: ReadonlyMap<ApiModel, readonly ApiPlace[]>;
  readonly scripts: ScriptPlanner;
  readonly declared: (stream: StreamNode) => DeclaredSchemas;
  readonly steps: (stream: StreamNode) => readonly NamedStep[];
  readonly hide: Hide;
}

/** Returns the plan of a set that has no errors. */
export function planSet(
  { set, whole, files, declared, namedSteps }: CheckedSet,
  scripts: ScriptPlanner,
): Plan {
  const planning = {
    routes: Map.groupBy(whole.routes, ({ stream }) => stream),
    places: Map.groupBy(whole.places, ({ api }) => api),
    scripts,
    declared,
    set,
    steps: namedSteps,
    hide: hideSecretsIn(files),
  };
  const apis = set.served.map((api) => planApi(api, planning));
  const needs = {
    logs: apis.some(({ logged }) => logged),
    asksWhoCalls: set.served.some(({ authentication }) => authentication.isRequired),
    counts: apis.some(isCounted),
  };
  return { settings: planSettings(set, needs, scripts), apis };
}

/** Returns the plan of a process whose APIs change while it runs. It includes everything that any API may need. */
export function planProcess({ set }: CheckedSet, scripts: ScriptPlanner): Plan {
  const needs = { logs: true, asksWhoCalls: true, counts: true };
  return { settings: planSettings(set, needs, scripts), apis: [] };
}

/** The features of the process that its APIs need. */
interface ProcessNeeds {
  readonly logs: boolean;
  readonly asksWhoCalls: boolean;
  readonly counts: boolean;
}

function planSettings(set: SetModel, needs: ProcessNeeds, scripts: ScriptPlanner): SettingsPlan {
  const { listen, adminListen, trustedProxies, limitFields, isStreaming, ...settings } = set.process;
  const tls = settings.tls?.field;
  const common = {
    analytics: planAnalytics(set.process, needs.logs, scripts),
    ...(needs.counts ? { counters: planCounters(set.process, scripts) } : {}),
  };
  // A set of documents named on the command line always streams; a gateway.yaml has to enable streaming.
  if (settings.node === undefined) return { streaming: isStreaming, ...common };
  const keys = planKeys(set, needs.asksWhoCalls, scripts);
  const oauth = planOauth(set.process, scripts);
  const store = planStore(set.process, scripts);
  const portal = planPortal(set.process, scripts);
  return {
    streaming: isStreaming,
    // A `listen` block that contains only certificates has no address.
    ...planWritten("listen", listen?.field?.kind === "Object" ? undefined : listen, scripts),
    ...planWritten("adminListen", adminListen, scripts),
    ...(tls?.kind === "Object" ? { tls: planObject(tls, scripts) } : {}),
    ...planWritten("trustedProxies", isEmptyList(trustedProxies) ? undefined : trustedProxies, scripts),
    ...(limitFields === undefined ? {} : { limits: planLimits(limitFields, scripts) }),
    ...common,
    ...(settings.leases?.field?.kind === "Object"
      ? { leases: planObject(settings.leases.field, scripts) }
      : {}),
    ...(keys === undefined ? {} : { keys }),
    ...(oauth === undefined ? {} : { oauth }),
    ...(store === undefined ? {} : { store }),
    ...(portal === undefined ? {} : { portal }),
  };
}

/** Returns the limits of the listener and of streams, without the limit of counters, which is planned with the counters. */
function planLimits(limits: ObjectField, scripts: ScriptPlanner): ObjectPlan {
  const { fields } = planObject(limits, scripts);
  return { kind: "Object", fields: fields.filter(({ name }) => name !== countersLimit) };
}

function planApi(api: ApiModel, planning: Planning): ApiPlan {
  const upstream = planUpstream(api, planning.scripts);
  const { name, blocks } = api;
  const cors = blocks.cors?.fields;
  const planSteps = createStepPlanner(api, planning.hide);
  return {
    id: api.id,
    ...(name === undefined ? {} : { name }),
    file: api.file.path,
    listenPath: api.listenPath,
    logged: blocks.trafficLogs?.enabled === true,
    ...planFinding(api, planning.scripts),
    ...upstream,
    ...(cors === undefined ? {} : { cors: planObject(cors, planning.scripts) }),
    protections: planProtections(api, planning.scripts),
    access: planAccess(api, planning.set),
    streams: api.streams.map((stream) => planStream(stream, api, { ...planning, planSteps })),
  };
}

/** The context for planning the streams of an API. */
interface StreamPlanning extends Planning {
  readonly planSteps: ReturnType<typeof createStepPlanner>;
}

function planStream(stream: StreamNode, api: ApiModel, planning: StreamPlanning): StreamPlan {
  const { set, routes, places, scripts, declared, steps, planSteps } = planning;
  const { input, output } = stream;
  invariant(input !== undefined && output !== undefined, "a checked stream has an input and an output");
  const path = api.openapi === undefined ? "" : `x-gw-streaming.streams.${stream.name}.`;
  const errorHandling = planErrorHandling(stream, set, `${path}error_handling`, scripts);
  const own = routes.get(stream) ?? [];
  const found = places.get(api) ?? [];
  const callers = planCallers(api);
  const isPortal = set.process.portal.isEnabled;
  const parts = {
    input: planComponent(input, `${path}input.${input.name}`, scripts),
    pipeline: stream.processors.map((processor, index) =>
      planComponent(processor, `${path}${processorPath(stream, index)}.${processor.name}`, scripts),
    ),
    output: withPortal(planComponent(output, `${path}output.${output.name}`, scripts), isPortal),
    ...(errorHandling === undefined ? {} : { errorHandling: withPortal(errorHandling, isPortal) }),
  };
  const values = Object.values(parts).flat();
  const resources = planResources(stream.resources ?? [], values, path, scripts);
  const plan = {
    name: stream.name,
    origin: { span: stream.nameSpan, path: path === "" ? stream.name : path.slice(0, -1) },
    ...parts,
    ...(stream.threads === undefined ? {} : { threads: stream.threads }),
    resources,
    variables: requestVariablesOf([...values, ...resources.map(({ component }) => component)]),
    routes: found.flatMap((place) => own.map((route) => planRoute(route, place, callers))),
    messages: planSteps({ steps: steps(stream), declared: declared(stream) }),
  };
  return { ...plan, spread: isSpread(plan), leased: isLeased(plan, set.process) };
}

function planRoute(route: Route, { path, version }: ApiPlace, callers: FindCallers): RoutePlan {
  const { transport, verbs, ownPath } = route;
  return {
    transport,
    verbs,
    path: path + ownPath.slice(1),
    ...(version === undefined ? {} : { version }),
    callers: callersOfRoute(route, callers),
  };
}

function planWritten(
  name: "listen" | "adminListen" | "trustedProxies",
  written: WrittenValue | undefined,
  scripts: ScriptPlanner,
): Partial<SettingsPlan> {
  return written?.field === undefined ? {} : { [name]: planField(written.field, scripts) };
}

function isEmptyList(written: WrittenValue | undefined): boolean {
  return written?.field?.kind === "List" && written.field.items.length === 0;
}

const exporterNames: readonly ExporterName[] = ["prometheus", "opentelemetry", "statsd"];

/** Plans the exporters, and the log if an API is `logged`. `enabled` must be known now: it selects the code in the gateway. */
function planAnalytics({ exporters }: SettingsModel, logged: boolean, scripts: ScriptPlanner): AnalyticsPlan {
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

/** Returns the parts of an API plan that say how requests find the API. */
function planFinding(api: ApiModel, scripts: ScriptPlanner): Pick<ApiPlan, "host" | "internal" | "versions"> {
  const { host, hostField: name } = api;
  const versions = planVersions(api);
  return {
    ...(host === undefined || name === undefined ? {} : { host: planField(name, scripts) }),
    ...(api.isInternal ? { internal: true } : {}),
    ...(versions === undefined ? {} : { versions }),
  };
}

/** Plans the versions of an API, including versions that do not run: they may be added while the gateway runs. */
function planVersions(api: ApiModel): VersionsPlan | undefined {
  const versioning = api.versioning;
  if (versioning === undefined) return undefined;
  const { location, key, versions, fallback, takesUnknown, isStripped, span } = versioning;
  invariant(location !== undefined, "a checked document says where its versions are named");
  const items = versions.map(({ name, id }) => objectOf([field("name", name), field("id", id)]));
  const fields = [
    ...(location === "url" || key === undefined ? [] : [field("key", key)]),
    { name: "versions", value: { kind: "List", items }, defaulted: false } as const,
    field("default", fallback),
    ...(takesUnknown ? [field("fallbackToDefault", true)] : []),
    ...(isStripped ? [field("stripVersioningData", true)] : []),
  ];
  const origin = { span, path: "x-gw-api-gateway.info.versioning" };
  return { location, origin, options: { kind: "Object", fields } };
}

function objectOf(fields: readonly FieldPlan[]): ValuePlan {
  return { kind: "Object", fields };
}

function field(name: string, value: string | boolean): FieldPlan {
  return { name, value: { kind: "Literal", value }, defaulted: false };
}

/** Plans the stream's own `error_handling`, or that of the set if the stream has none. */
function planErrorHandling(
  stream: StreamNode,
  set: SetModel,
  path: string,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  if (stream.errorHandling === undefined) {
    const common = set.process.errorHandling?.field;
    return common?.kind === "Object" ? withFunctions(planObject(common, scripts).fields) : undefined;
  }
  const settings = ["strategy", "max_attempts", "log"].flatMap((name): FieldPlan[] => {
    const value = literalPlan(findNode(stream.errorHandling, name));
    return value === undefined ? [] : [{ name, value, defaulted: false }];
  });
  const { deadLetter } = stream;
  if (deadLetter === undefined) return withFunctions(settings);
  const output = planComponent(deadLetter, `${path}.output.${deadLetter.name}`, scripts);
  return withFunctions([...settings, { name: "output", value: output, defaulted: false }]);
}

/** Returns a setting as written. */
function literalPlan(node: DocumentNode | undefined): ValuePlan | undefined {
  if (node?.kind === "scalar") return { kind: "Literal", value: node.value };
  if (node?.kind !== "map") return undefined;
  const fields = node.entries.flatMap(({ key, value }): FieldPlan[] => {
    const plan = literalPlan(value);
    return plan === undefined ? [] : [{ name: key, value: plan, defaulted: false }];
  });
  return { kind: "Object", fields };
}

/** Adds the functions that `retry`, `dead_letter` and an enabled `log` need to the settings. */
function withFunctions(fields: readonly FieldPlan[]): ObjectPlan {
  const completed = fields.flatMap((field): FieldPlan[] => {
    if (field.name === "strategy" && isLiteral(field.value, "retry"))
      return [field, { name: "repeat", value: field.value, defaulted: false, brings: "repeated-delivery" }];
    if (field.name === "strategy" && isLiteral(field.value, "dead_letter"))
      return [field, { name: "letters", value: field.value, defaulted: false, brings: "dead-letters" }];
    if (field.name !== "log" || field.value.kind !== "Object") return [field];
    const enabled = field.value.fields.find(({ name }) => name === "enabled");
    if (enabled === undefined || !isLiteral(enabled.value, true)) return [];
    const options = field.value.fields.filter((each) => each !== enabled);
    return [{ ...field, value: { kind: "Object", fields: options }, maker: "failure-samples" }];
  });
  return { kind: "Object", fields: completed };
}

function isLiteral(value: ValuePlan, expected: string | boolean): boolean {
  return value.kind === "Literal" && value.value === expected;
}
