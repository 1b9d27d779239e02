// Collects the routes that the streams of a set claim, and finds claims that conflict.

import { descriptorOf } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import type { Span } from "../source/source.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import type { NamedField } from "../trees/fields.ts";
import { findField, findNamedField, literalText } from "../trees/fields.ts";
import type { ApiModel } from "./api.ts";
import { componentsOf } from "./components.ts";
import type { DeclaredPath } from "./operations.ts";
import type { ApiPlace } from "./places.ts";

/** The claim of one endpoint field. A path whose text is not known yet claims nothing. */
export interface Route {
  readonly api: ApiModel;
  readonly stream: StreamNode;
  readonly component: ComponentNode;
  /** The field that claims it: `path`, `ws_path`. */
  readonly field: string;
  readonly transport: "http" | "websocket";
  /** Empty for WebSockets. */
  readonly verbs: readonly string[];
  /** The full path, with the prefix of `place`. */
  readonly path: string;
  /** The place where requests find the API; the first if there are several. */
  readonly place: Pick<ApiPlace, "path" | "host" | "version">;
  /** The path below the listen path, with a leading slash. */
  readonly ownPath: string;
  /** The place where the path is written. */
  readonly span: Span;
}

/** Returns the routes of all streams of an API at `place`, in the order written. */
export function collectRoutes(api: ApiModel, place?: Route["place"]): readonly Route[] {
  const known = place === undefined ? collected.get(api) : undefined;
  const routes = known ?? api.streams.flatMap((stream) => collectRoutesOf(stream, api, place));
  if (place === undefined) collected.set(api, routes);
  return routes;
}

/** Cache by API: several rules read the routes of each. */
const collected = new WeakMap<ApiModel, readonly Route[]>();

/** Returns the routes of one stream of an API. */
export function collectRoutesOf(
  stream: StreamNode,
  api: ApiModel,
  place: Route["place"] = nowhere(api),
): readonly Route[] {
  return componentsOf(stream).flatMap((component) => routesOf(api, stream, component, place));
}

/** Returns a place for routes without a configured path, which conflict with those of no other API. */
function nowhere({ id, listenPath }: ApiModel): Route["place"] {
  return { path: listenPath, host: `! ${id}` };
}

function routesOf(
  api: ApiModel,
  stream: StreamNode,
  component: ComponentNode,
  place: Route["place"],
): readonly Route[] {
  const schema = component.descriptor?.schema;
  if (component.config.kind !== "Object" || schema === undefined) return [];
  return component.config.fields.flatMap((field): readonly Route[] => {
    const own = schema.properties?.[field.name]?.["x-route"];
    const path = literalText(field.value);
    if (own === undefined || path === undefined || path === "") return [];
    const base = { api, stream, component, place, field: field.name, span: field.value.span };
    const below = path.replace(/^\/+/, "");
    const paths = { path: place.path + below, ownPath: `/${below}` };
    return transportsOf(component, field, own).map((transport) => {
      return { ...base, ...paths, transport, verbs: transport === "http" ? verbsOf(component, schema) : [] };
    });
  });
}

/**
 * Returns the transports of a path. The `path` of an `http_server` output also serves WebSockets to clients that
 * request one, if no other path exists for streaming connections.
 */
function transportsOf(
  { role, descriptor, config }: ComponentNode,
  field: NamedField,
  own: Route["transport"],
): readonly Route["transport"][] {
  const isAlone = ["stream_path", "ws_path"].every((other) => findNamedField(config, other) === undefined);
  const negotiated = role === "output" ? descriptorOf("output", { descriptor })?.negotiatedRoute : undefined;
  const negotiates = field.name === negotiated && isAlone;
  return negotiates ? ["http", "websocket"] : [own];
}

function verbsOf(component: ComponentNode, schema: Schema): readonly string[] {
  const written = findField(component.config, "allowed_verbs");
  if (written?.kind === "List") return written.items.flatMap((item) => literalText(item) ?? []);
  const fallback = schema.properties?.allowed_verbs?.default;
  return Array.isArray(fallback) ? fallback.map(String) : [];
}

/**
 * Returns the declared path that describes a route. Documents without `servers` may include the listen path in their
 * paths, so the whole path counts too.
 */
export function findDeclared({ api, ownPath }: Route): DeclaredPath | undefined {
  const positions = positionsOf(api.paths);
  const own = positions.get(ownPath) ?? Number.POSITIVE_INFINITY;
  const whole = positions.get(api.listenPath + ownPath.slice(1)) ?? Number.POSITIVE_INFINITY;
  return api.paths[Math.min(own, whole)];
}

/** Positions of the paths of documents: rules look for the path of each route, and a document may have thousands. */
const knownPositions = new WeakMap<readonly DeclaredPath[], ReadonlyMap<string, number>>();

function positionsOf(paths: readonly DeclaredPath[]): ReadonlyMap<string, number> {
  const positions = knownPositions.get(paths) ?? new Map(paths.map(({ path }, index) => [path, index]));
  knownPositions.set(paths, positions);
  return positions;
}

/** Returns what both routes serve, for messages; `undefined` if every request belongs to one of them only. */
export function findShared(first: Route, second: Route): string | undefined {
  if (first.transport !== second.transport || !isAmbiguous(first.path, second.path)) return undefined;
  if (first.transport === "websocket") return `${second.path} (WebSocket)`;
  const verb = second.verbs.find((each) => first.verbs.includes(each));
  return verb === undefined ? undefined : `${verb} ${second.path}`;
}

/**
 * Whether some request matches both paths and neither is more exact. `/a/{id}` and `/a/new` are not ambiguous: the
 * fixed text has precedence. `/a/{x}` and `/a/{y}` are ambiguous, and so are `/a/{x}/c` and `/a/b/{y}`.
 */
function isAmbiguous(first: string, second: string): boolean {
  const a = first.split("/");
  const b = second.split("/");
  if (a.length !== b.length) return false;
  const pairs = a.map((segment, index) => [segment, b[index] ?? ""] as const);
  if (pairs.some(([x, y]) => x !== y && !isParameter(x) && !isParameter(y))) return false;
  const firstExact = pairs.some(([x, y]) => !isParameter(x) && isParameter(y));
  const secondExact = pairs.some(([x, y]) => isParameter(x) && !isParameter(y));
  return firstExact === secondExact;
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{") && segment.endsWith("}");
}
