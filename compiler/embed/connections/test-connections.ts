// Connects to everything that the gateway of a plan would connect to, and reports the results. Consumes and produces
// nothing.

import type { Probe, ProbedRole, Probing } from "../../../runtime/probe/probe.ts";
import type { Finding } from "../../../runtime/probe/probe-failures.ts";
import { variablePlacesOf } from "../../emit/manifest.ts";
import { loadModule, loadRuntime } from "../../evaluate/runtime-modules.ts";
import type {
  ApiPlan,
  ComponentPlan,
  FieldPlan,
  ObjectPlan,
  Plan,
  RuntimeLink,
  StreamPlan,
  ValuePlan,
} from "../../plan/plan.ts";
import { valuesWithin } from "../../plan/values.ts";
import { type Location, locate } from "../../source/source.ts";
import { evaluateOptions, knownOptions, type VariableValues } from "./known-options.ts";

/** The probe for the address of an upstream. */
const upstreamProbe: RuntimeLink = { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" };

/** An upstream, which is not a component of a stream but is tested like one. */
type UpstreamPlan = Pick<ComponentPlan, "name" | "options" | "origin"> & { readonly role: "upstream" };

/** A component or an upstream that connects to something. */
interface FoundComponent {
  readonly component: Pick<ComponentPlan, "name" | "label" | "options" | "origin" | "role"> | UpstreamPlan;
  readonly probe: RuntimeLink;
  /** The streams that contain it, as `api/stream`. */
  readonly streams: readonly string[];
}

/**
 * Returns the components in the order of the plan, upstreams first. Composites are left out, but not the components
 * in them.
 */
function findComponents({ apis }: Plan): readonly FoundComponent[] {
  const upstreams = apis.flatMap(upstreamOf);
  const found = new Map<string, { component: ComponentPlan; probe: RuntimeLink; streams: Set<string> }>();
  for (const api of apis) {
    for (const stream of api.streams) {
      for (const component of componentsOf(stream)) {
        const probe = component.descriptor?.probe;
        if (probe === undefined) continue;
        const place = placeOf(component);
        const entry = found.get(place) ?? { component, probe, streams: new Set() };
        entry.streams.add(`${api.id}/${stream.name}`);
        found.set(place, entry);
      }
    }
  }
  return [...upstreams, ...[...found.values()].map((entry) => ({ ...entry, streams: [...entry.streams] }))];
}

function upstreamOf({ upstream, upstreamOrigin }: ApiPlan): readonly FoundComponent[] {
  if (upstream === undefined || upstreamOrigin === undefined) return [];
  const fields = upstream.fields.filter(({ name }) => name === "url" || name === "tls");
  const options = { kind: "Object" as const, fields: [...fields, ...proxyOf(upstream)] };
  const component = { role: "upstream" as const, name: "upstream", options, origin: upstreamOrigin };
  return [{ component, probe: upstreamProbe, streams: [] }];
}

/** Returns the proxy of an upstream in the form that components use. */
function proxyOf({ fields }: ObjectPlan): readonly FieldPlan[] {
  const proxy = fields.find(({ name }) => name === "proxy")?.value;
  const own =
    proxy?.kind === "Object" ? new Map(proxy.fields.map(({ name, value }) => [name, value])) : undefined;
  const enabled = own?.get("enabled");
  const url = own?.get("url");
  const isOn = enabled?.kind === "Literal" && enabled.value === true;
  return isOn && url !== undefined ? [{ name: "proxy_url", value: url, defaulted: false }] : [];
}

/** Returns a key for the source location of a component, so that a resource used in several places is tested once. */
function placeOf({ origin: { span }, role }: ComponentPlan): string {
  return `${role} ${span.source.file.path}:${span.source.offsetInFile(span.start)}`;
}

function componentsOf(stream: StreamPlan): readonly ComponentPlan[] {
  return valuesOfStream(stream)
    .flatMap(valuesWithin)
    .filter((value) => value.kind === "Component");
}

function valuesOfStream({
  input,
  pipeline,
  output,
  errorHandling,
  resources,
}: StreamPlan): readonly ValuePlan[] {
  const shared = resources.map(({ component }) => component);
  return [input, ...pipeline, output, ...(errorHandling === undefined ? [] : [errorHandling]), ...shared];
}

export type { Finding } from "../../../runtime/probe/probe-failures.ts";

/** The results for one component. */
export interface TestedComponent {
  /** The role of the component, or `upstream`. */
  readonly role: ProbedRole;
  /** The name in documents, such as `kafka`; `upstream` for upstreams. */
  readonly name: string;
  readonly label?: string;
  readonly location: Location;
  /** Path in the document. */
  readonly path: string;
  /** The streams that contain it, as `api/stream`. */
  readonly streams: readonly string[];
  readonly findings: readonly Finding[];
}

/** Options of connection tests. */
export interface ConnectionTestOptions {
  /** The values of `${NAME}`. */
  readonly variables: VariableValues;
  /** Timeout of each check in milliseconds. */
  readonly timeout: number;
}

/** Number of components tested at the same time: few enough not to look like an attack. */
const concurrency = 16;

/**
 * Tests the connections of each component of `plan`, and returns the results in the order of the plan. Throws a
 * `StartError` that names all missing environment variables.
 */
export async function testConnections(
  plan: Plan,
  { variables, timeout }: ConnectionTestOptions,
): Promise<readonly TestedComponent[]> {
  const found = findComponents(plan);
  const places = variablePlacesOf(plan);
  const options = connectionOptions(plan, variables, found);
  const tests = found.map((each, index) => async () => {
    const tested = await testComponent(each, options[index], timeout);
    const defaults = defaultsWithin(each.component.options, variables);
    return { ...tested, findings: tested.findings.map((finding) => withDefaults(finding, defaults, places)) };
  });
  return inParallel(tests, concurrency);
}

/**
 * Returns the options of everything that `plan` connects to, in the order of the tests. Throws a `StartError` that
 * names all missing environment variables.
 */
export function connectionOptions(
  plan: Plan,
  variables: VariableValues,
  found = findComponents(plan),
): readonly unknown[] {
  const options = found.map(({ component }) => knownOptions(component.options));
  return evaluateOptions(options, valuesOfGateway(plan), variables, variablePlacesOf(plan));
}

/** Returns all values of a plan that may read the environment. */
function valuesOfGateway({ settings, apis }: Plan): readonly ValuePlan[] {
  const { listen, adminListen, tls, limits } = settings;
  const values = apis.flatMap(({ upstream, streams }) => [
    upstream,
    ...streams.flatMap(({ input, pipeline, output, errorHandling, resources }) => [
      input,
      ...pipeline,
      output,
      errorHandling,
      ...resources.map(({ component }) => component),
    ]),
  ]);
  return [listen, adminListen, tls, limits, ...values].filter((value) => value !== undefined);
}

async function testComponent(
  { component, probe, streams }: FoundComponent,
  options: unknown,
  timeout: number,
): Promise<TestedComponent> {
  const { role, name, origin } = component;
  const label = "label" in component ? component.label : undefined;
  const { Probing } = loadRuntime("runtime/probe/probe.ts");
  // A test compares the table of links with the runtime, so that the symbol is a probe.
  const loaded = probe.source?.load(probe.module) ?? loadModule(probe.module);
  const run = loaded[probe.symbol] as Probe<unknown>;
  const probing: Probing = new Probing({ role, timeout });
  const findings = await probing.run(run, options);
  const place = { location: locate(origin.span), path: origin.path };
  return { role, name, ...(label !== undefined && { label }), ...place, streams, findings };
}

/** A variable that is not set, and the default texts used for it. */
interface Default {
  readonly name: string;
  readonly texts: readonly string[];
}

function defaultsWithin(options: ObjectPlan, variables: VariableValues): readonly Default[] {
  return valuesWithin(options).flatMap((value) =>
    value.kind !== "Environment"
      ? []
      : value.parts.flatMap((part): readonly Default[] => {
          if (part.kind !== "Variable" || part.fallback === undefined || variables[part.name]) return [];
          return [{ name: part.name, texts: [part.fallback].flat().map(String) }];
        }),
  );
}

/** Adds the variable whose default was tested: the address of a failed check contains the default, or is part of it. */
function withDefaults(
  finding: Finding,
  defaults: readonly Default[],
  places: Readonly<Record<string, string>>,
): Finding {
  const subject = finding.check.slice(finding.check.indexOf(" ") + 1);
  const pieces = [subject, ...subject.split(/:(?=\d+$)/)];
  if (finding.outcome !== "failed" || !finding.check.includes(" ")) return finding;
  const isMeant = (text: string) => text.includes(subject) || pieces.includes(text);
  const meant = defaults.filter(({ texts }) => texts.some(isMeant));
  const names = [...new Set(meant.map(({ name }) => name))];
  if (names.length === 0) return finding;
  const described = names.map((name) => (places[name] === undefined ? name : `${name} (${places[name]})`));
  return {
    ...finding,
    reason: `${finding.reason}; it is the default of ${described.join(" and ")}, not set here`,
  };
}

async function inParallel<T>(works: readonly (() => Promise<T>)[], limit: number): Promise<readonly T[]> {
  const results: T[] = [];
  const waiting = works.entries();
  async function work(): Promise<void> {
    for (const [index, each] of waiting) results[index] = await each();
  }
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
