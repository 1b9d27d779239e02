// A plan in, what came of connecting to everything its gateway would connect to. Nothing is consumed or produced.

import type { Probe, ProbedRole, Probing } from "../../../runtime/probe/probe.ts";
import type { Finding } from "../../../runtime/probe/probe-failures.ts";
import { variablePlacesOf } from "../../emit/manifest.ts";
import { loadModule, loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { Plan, ValuePlan } from "../../plan/plan.ts";
import { type Location, locate } from "../../source/source.ts";
import { StartError } from "../errors.ts";
import { type FoundComponent, findComponents } from "./find-components.ts";
import { evaluateOptions, knownOptions, type VariableValues } from "./known-options.ts";

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
  const options = evaluateOptions(
    found.map(({ component }) => knownOptions(component.options)),
    valuesOf(plan),
    variables,
    variablePlacesOf(plan),
  );
  const tests = found.map((each, index) => () => testComponent(each, options[index], timeout));
  return inParallel(tests, concurrency);
}

/** What keeps the streams of `plan` from reading `variables`, one sentence each; nothing where a gateway could start. */
export function variableProblems(plan: Plan, variables: VariableValues): readonly string[] {
  try {
    evaluateOptions([], valuesOf(plan), variables, variablePlacesOf(plan));
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
}

/** Everything of a plan that may read the environment. */
function valuesOf({ settings, apis }: Plan): readonly ValuePlan[] {
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

async function inParallel<T>(works: readonly (() => Promise<T>)[], limit: number): Promise<readonly T[]> {
  const results: T[] = [];
  const waiting = works.entries();
  async function work(): Promise<void> {
    for (const [index, each] of waiting) results[index] = await each();
  }
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
