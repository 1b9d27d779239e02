// A plan in, what came of connecting to everything its gateway would connect to. Nothing is consumed or produced.

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
import { StartError } from "../errors.ts";
import { evaluateOptions, knownOptions, type VariableValues } from "./known-options.ts";

/** What tries the address that an API passes requests on to. */
const upstreamProbe: RuntimeLink = { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" };

/** What the gateway passes requests on to, which is not a component of a stream but is reached as one. */
type UpstreamPlan = Pick<ComponentPlan, "name" | "options" | "origin"> & { readonly role: "upstream" };

/** A component, or an upstream, with something to connect to. */
interface FoundComponent {
  readonly component: Pick<ComponentPlan, "name" | "label" | "options" | "origin" | "role"> | UpstreamPlan;
  readonly probe: RuntimeLink;
  /** The streams it stands in, as `api/stream`. */
  readonly streams: readonly string[];
}

/** In the order of the plan, upstreams first; composites themselves are left out, what they hold is not. */
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

/** The proxy in between, as components call it. */
function proxyOf({ fields }: ObjectPlan): readonly FieldPlan[] {
  const proxy = fields.find(({ name }) => name === "proxy")?.value;
  const own =
    proxy?.kind === "Object" ? new Map(proxy.fields.map(({ name, value }) => [name, value])) : undefined;
  const enabled = own?.get("enabled");
  const url = own?.get("url");
  const isOn = enabled?.kind === "Literal" && enabled.value === true;
  return isOn && url !== undefined ? [{ name: "proxy_url", value: url, defaulted: false }] : [];
}

/** A resource that is named in several places was written in one. */
function placeOf({ origin: { span }, role }: ComponentPlan): string {
  return `${role} ${span.source.file.path}:${span.source.offsetInFile(span.start)}`;
}

function componentsOf(stream: StreamPlan): readonly ComponentPlan[] {
  return valuesOfStream(stream)
    .flatMap((value) => [...valuesWithin(value)])
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

/** What came of one component. */
export interface TestedComponent {
  /** That of a component, or `upstream`. */
  readonly role: ProbedRole;
  /** As in documents: `kafka`; `upstream`. */
  readonly name: string;
  readonly label?: string;
  readonly location: Location;
  /** Path in the document. */
  readonly path: string;
  /** The streams it stands in, as `api/stream`. */
  readonly streams: readonly string[];
  readonly findings: readonly Finding[];
}

/** How connections are tested. */
export interface ConnectionTestOptions {
  /** What `${NAME}` reads. */
  readonly variables: VariableValues;
  /** Milliseconds for each check. */
  readonly timeout: number;
}

/** Components that are tested at a time: enough to be quick, few enough not to look like an attack. */
const concurrency = 16;

/**
 * Tests what each component of `plan` connects to; in the order of the plan. Throws a `StartError` that names all
 * variables of the environment which are missing.
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
 * The options of everything that `plan` connects to, in the order in which it is tested. Throws a `StartError` that names all
 * variables of the environment which are missing.
 */
export function connectionOptions(
  plan: Plan,
  variables: VariableValues,
  found = findComponents(plan),
): readonly unknown[] {
  const options = found.map(({ component }) => knownOptions(component.options));
  return evaluateOptions(options, valuesOfGateway(plan), variables, variablePlacesOf(plan));
}

/** What keeps the streams of `plan` from reading `variables`, one sentence each; nothing where a gateway could start. */
export function variableProblems(plan: Plan, variables: VariableValues): readonly string[] {
  try {
    evaluateOptions([], valuesOfGateway(plan), variables, variablePlacesOf(plan));
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
}

/** Everything of a plan that may read the environment. */
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
  // The table of links, which a test holds to the runtime, says what it is.
  const loaded = probe.source?.load(probe.module) ?? loadModule(probe.module);
  const run = loaded[probe.symbol] as Probe<unknown>;
  const probing: Probing = new Probing({ role, timeout });
  const findings = await probing.run(run, options);
  const place = { location: locate(origin.span), path: origin.path };
  return { role, name, ...(label !== undefined && { label }), ...place, streams, findings };
}

/** A variable that is not set, and the texts that stand in for it. */
interface Default {
  readonly name: string;
  readonly texts: readonly string[];
}

function defaultsWithin(options: ObjectPlan, variables: VariableValues): readonly Default[] {
  return [...valuesWithin(options)].flatMap((value) =>
    value.kind !== "Environment"
      ? []
      : value.parts.flatMap((part): readonly Default[] => {
          if (part.kind !== "Variable" || part.fallback === undefined || variables[part.name]) return [];
          return [{ name: part.name, texts: [part.fallback].flat().map(String) }];
        }),
  );
}

/** Names the variable whose default was tested: the address of a failed check contains the default, or is a part of it. */
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
  const told = names.map((name) => (places[name] === undefined ? name : `${name} (${places[name]})`));
  return {
    ...finding,
    reason: `${finding.reason}; it is the default of ${told.join(" and ")}, not set here`,
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
