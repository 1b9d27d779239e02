// A plan in, every component that is to be tried out: each once, however many streams it serves.

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

/** What tries the address that an API passes requests on to. */
const upstreamProbe: RuntimeLink = { module: "runtime/probe/probe-url.ts", symbol: "probeUrl" };

/** What the gateway passes requests on to, which is not a component of a stream but is reached as one. */
type UpstreamPlan = Pick<ComponentPlan, "name" | "options" | "origin"> & { readonly role: "upstream" };

/** A component, or an upstream, with something to connect to. */
export interface FoundComponent {
  readonly component: Pick<ComponentPlan, "name" | "label" | "options" | "origin" | "role"> | UpstreamPlan;
  readonly probe: RuntimeLink;
  /** The streams it stands in, as `api/stream`. */
  readonly streams: readonly string[];
}

/** In the order of the plan, upstreams first; composites themselves are left out, what they hold is not. */
export function findComponents({ apis }: Plan): readonly FoundComponent[] {
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
  return valuesOf(stream)
    .flatMap((value) => [...valuesWithin(value)])
    .filter((value) => value.kind === "Component");
}

function valuesOf({ input, pipeline, output, errorHandling, resources }: StreamPlan): readonly ValuePlan[] {
  const shared = resources.map(({ component }) => component);
  return [input, ...pipeline, output, ...(errorHandling === undefined ? [] : [errorHandling]), ...shared];
}
