// Emits `manifest.json`, a description of a build for programs, with the environment variables and mounted secrets it
// needs.

import { nodesIn } from "../plan/mapping/contents.ts";
import type { Planned } from "../plan/mapping/ir.ts";
import type {
  AccessPlan,
  ApiPlan,
  ComponentPlan,
  ObjectPlan,
  Plan,
  RoutePlan,
  SettingsPlan,
  StreamPlan,
  ValuePlan,
} from "../plan/plan.ts";
import { valuesWithin, variableReadsOf } from "../plan/values.ts";
import { locate } from "../source/source.ts";
import { type Code, literal, objectOf } from "./code.ts";

/** The values directly in each property of a part; none for properties that are known at build time. */
type Rows<T> = { readonly [K in keyof Required<T>]: (part: T) => readonly (ValuePlan | undefined)[] };

const none = () => [];

const ofSettings: Rows<SettingsPlan> = {
  streaming: none,
  listen: ({ listen }) => [listen],
  adminListen: ({ adminListen }) => [adminListen],
  tls: ({ tls }) => [tls],
  trustedProxies: ({ trustedProxies }) => [trustedProxies],
  limits: ({ limits }) => [limits],
  counters: ({ counters }) => [counters],
  leases: ({ leases }) => [leases],
  keys: ({ keys }) => [keys],
  oauth: ({ oauth }) => [oauth],
  store: ({ store }) => [store?.address],
  portal: ({ portal }) => [portal],
  analytics: ({ analytics }) => analytics.exporters.map(({ options }) => options),
};

const ofApi: Rows<ApiPlan> = {
  id: none,
  name: none,
  file: none,
  listenPath: none,
  logged: none,
  host: ({ host }) => [host],
  internal: none,
  versions: ({ versions }) => [versions?.options],
  upstream: ({ upstream }) => [upstream],
  upstreamOrigin: none,
  cors: ({ cors }) => [cors],
  protections: ({ protections }) => protections.map(({ options }) => options),
  access: none,
  streams: ({ streams }) => streams.flatMap((stream) => directlyIn(stream, ofStream)),
};

const ofStream: Rows<StreamPlan> = {
  name: none,
  origin: none,
  input: ({ input }) => [input],
  pipeline: ({ pipeline }) => pipeline,
  threads: none,
  output: ({ output }) => [output],
  errorHandling: ({ errorHandling }) => [errorHandling],
  resources: ({ resources }) => resources.map(({ component }) => component),
  variables: none,
  spread: none,
  leased: none,
  routes: none,
  messages: none,
};

/** Returns all values of a plan, outer ones first. */
function valuesOfPlan({ settings, apis }: Plan): readonly ValuePlan[] {
  const outer = [...directlyIn(settings, ofSettings), ...apis.flatMap((api) => directlyIn(api, ofApi))];
  return outer.flatMap(valuesWithin);
}

function directlyIn<T>(part: T, rows: Rows<T>): readonly ValuePlan[] {
  // The keys belong to a mapped type, which has no index signature.
  return Object.values<(part: T) => readonly (ValuePlan | undefined)[]>(rows).flatMap((row) =>
    row === none ? [] : row(part).filter((value) => value !== undefined),
  );
}

/** The maximum number of places that are listed for one variable. */
const mostPlaces = 3;

/**
 * Emits the places of the variables that the settings or an API read, such as `{ LIMIT: "orders.yaml:6" }`; `undefined`
 * if they read none.
 */
export function emitVariablePlaces(part: SettingsPlan | ApiPlan): Code | undefined {
  const outer = "streams" in part ? directlyIn(part, ofApi) : directlyIn(part, ofSettings);
  const places = namedPlaces(outer.flatMap(valuesWithin));
  if (places.length === 0) return undefined;
  return objectOf(places.map(([name, place]) => [name, literal(place)]));
}

/** Returns the same for a whole plan, for callers that read the environment instead of a gateway. */
export function variablePlacesOf(plan: Plan): Readonly<Record<string, string>> {
  return Object.fromEntries(namedPlaces(valuesOfPlan(plan)));
}

function namedPlaces(values: readonly ValuePlan[]): readonly (readonly [name: string, place: string])[] {
  return [...variablePlaces(values)].sort().map(([name, all]) => {
    const named = joinPlaces(all.slice(0, mostPlaces));
    return [name, all.length > mostPlaces ? `${named}, …` : named];
  });
}

/** Returns `orders.yaml:6, 9, rides.yaml:4`: consecutive places in one file name the file once. */
function joinPlaces(places: readonly string[]): string {
  const fileOf = (place: string) => place.slice(0, place.lastIndexOf(":"));
  return places
    .map((place, index) =>
      index > 0 && fileOf(place) === fileOf(places[index - 1] ?? "")
        ? place.slice(fileOf(place).length + 1)
        : place,
    )
    .join(", ");
}

/** Returns the file and line of each place where a variable is written, by the name of the variable. */
function variablePlaces(values: readonly ValuePlan[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const value of values) {
    if (value.kind !== "Environment") continue;
    for (const part of value.parts) {
      if (part.kind !== "Variable" || part.span === undefined) continue;
      const { file, start } = locate(part.span);
      const place = `${file.path}:${start.line}`;
      const known = places.get(part.name) ?? [];
      if (!known.includes(place)) places.set(part.name, [...known, place]);
    }
  }
  return places;
}

/** The manifest without the parts that depend on the linked files. */
export interface Manifest {
  readonly apis: readonly ManifestApi[];
  /** Connectors by name, in order. */
  readonly connectors: readonly string[];
  /**
   * Environment variables that the gateway reads for its documents and settings, by name. Does not include those that
   * every gateway reads, such as `GW_LISTEN`, and those that OpenTelemetry defines.
   */
  readonly environment: readonly EnvironmentRead[];
  /** The mounted secrets that the gateway reads. */
  readonly secretFiles: readonly string[];
}

interface ManifestApi {
  readonly id: string;
  readonly name?: string;
  readonly listenPath: string;
  readonly internal?: boolean;
  readonly source: string;
  /** The callers that are allowed, in addition to `callers` of routes. */
  readonly access: AccessPlan & { readonly protections: readonly string[] };
  readonly streams: readonly {
    readonly name: string;
    readonly input: string;
    readonly output: string;
    /** Variables of requests; each set of their values has an instance of the stream. */
    readonly variables?: readonly string[];
    readonly routes: readonly RoutePlan[];
  }[];
}

/** Returns the manifest of a plan. */
export function emitManifest(plan: Plan): Manifest {
  const values = valuesOfPlan(plan);
  const variables = new Map<string, boolean>();
  const usedAt = variablePlaces(values);
  for (const { name, required } of [...readVariables(values), ...readBySettings(plan.settings)])
    variables.set(name, (variables.get(name) ?? false) || required);
  const ends = values.filter(
    (value): value is ComponentPlan =>
      value.kind === "Component" && (value.role === "input" || value.role === "output"),
  );
  return {
    apis: plan.apis.map(describeApi),
    connectors: [...new Set(ends.map(({ name }) => name))].sort(),
    environment: [...variables.entries()].sort().map(([name, required]) => {
      const places = usedAt.get(name);
      return { name, required, ...(places && { usedAt: places }) };
    }),
    secretFiles: [...new Set(readSecrets(values))].sort(),
  };
}

function describeApi(api: ApiPlan): ManifestApi {
  return {
    id: api.id,
    ...(api.name === undefined ? {} : { name: api.name }),
    listenPath: api.listenPath,
    ...(api.internal === undefined ? {} : { internal: api.internal }),
    source: api.file,
    access: { ...api.access, protections: api.protections.map(({ name }) => name) },
    streams: api.streams.map(({ name, input, output, variables, routes }) => ({
      name,
      input: input.name,
      output: output.name,
      ...(variables.length === 0 ? {} : { variables }),
      routes,
    })),
  };
}

/** An environment variable. A gateway does not start without `required` ones. */
interface EnvironmentRead {
  readonly name: string;
  readonly required: boolean;
  /** File and line of the places in documents and settings that read it. */
  readonly usedAt?: readonly string[];
}

/** Returns the variables in values, and those in literal `env("NAME")` of scripts, which are null if not set. */
function readVariables(values: readonly ValuePlan[]): readonly EnvironmentRead[] {
  return values.flatMap((value): readonly EnvironmentRead[] => {
    switch (value.kind) {
      case "Environment":
        return value.parts.flatMap((part) =>
          part.kind === "Variable" ? [{ name: part.name, required: part.fallback === undefined }] : [],
        );
      case "MappingPlan":
      case "QueryPlan":
      case "TemplatePlan":
        return [
          ...nodesIn(value).flatMap(environmentReadsOf),
          ...variableReadsOf(value).flatMap(({ from, name }) =>
            from === "environment" ? [{ name, required: true }] : [],
          ),
        ];
      default:
        return [];
    }
  });
}

/** Whether the gateway may verify passwords hashed with argon2, which Node supports since 24.7. */
export function checksPasswords(plan: Plan): boolean {
  if (plan.settings.portal !== undefined) return true;
  return valuesOfPlan(plan).some((value) => {
    if (value.kind === "Object") return value.fields.some(({ maker }) => maker === "basic");
    const isScript =
      value.kind === "MappingPlan" || value.kind === "QueryPlan" || value.kind === "TemplatePlan";
    return isScript && nodesIn(value).some(comparesArgon);
  });
}

function comparesArgon(node: Planned): boolean {
  return node.kind === "Call" && node.builtin.name === "compare_argon2";
}

/** Returns the paths of the mounted secrets that values read. */
function readSecrets(values: readonly ValuePlan[]): readonly string[] {
  const parts = values.flatMap((value) => (value.kind === "Environment" ? value.parts : []));
  return parts.flatMap((part) => (part.kind === "File" ? [part.path] : []));
}

/** Returns the runtime's own variables that override a setting or replace one that is not written. */
function readBySettings({ counters, oauth, store, portal }: SettingsPlan): readonly EnvironmentRead[] {
  const smtp = portal?.fields.find(({ name }) => name === "smtp")?.value;
  return [
    ...(counters === undefined && oauth === undefined ? [] : [optional("GW_REDIS_URL")]),
    ...(store === undefined ? [] : [{ name: "GW_STORE_URL", required: store.address === undefined }]),
    ...(portal === undefined
      ? []
      : [
          { name: "GW_PORTAL_ACCESS_TOKENS", required: true },
          ...["GW_PORTAL_LISTEN", "GW_WEBHOOK_SECRETS_KEY"].map(optional),
        ]),
    ...(portal?.fields.some(({ name }) => name === "single_sign_on")
      ? [{ name: "GW_PORTAL_CLIENT_SECRET", required: true }]
      : []),
    ...(smtp?.kind === "Object" ? [{ name: "GW_SMTP_URL", required: !has(smtp, "url") }] : []),
  ];
}

function optional(name: string): EnvironmentRead {
  return { name, required: false };
}

function has({ fields }: ObjectPlan, field: string): boolean {
  return fields.some(({ name }) => name === field);
}

function environmentReadsOf(node: Planned): readonly EnvironmentRead[] {
  if (node.kind !== "Call" || node.builtin.name !== "env") return [];
  const [name] = node.args;
  const text = name?.kind === "value" && name.value.kind === "Constant" ? name.value.value : undefined;
  return typeof text === "string" ? [optional(text)] : [];
}
