// Rules about the operations of a document, alone and compared with the endpoints of its streams.

import type { Report } from "../../../diagnostics/sink.ts";
import { findSlip, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf } from "../../../model/components.ts";
import {
  contentOf,
  isPlain,
  operationIdOf,
  responsesOf,
  tagsOf,
  writtenOperationId,
} from "../../../model/operation-parts.ts";
import {
  type DeclaredOperation,
  type DeclaredPath,
  declaredOperations,
  plainOperationIds,
} from "../../../model/operations.ts";
import { optionsNamed, repliesOf } from "../../../model/options.ts";
import { SoundItems } from "../../../model/path-items.ts";
import { collectRoutes, findDeclared, type Route } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import { entriesOf } from "../../../model/written.ts";
import { isLong, type Span } from "../../../source/source.ts";
import { type DocumentNode, findEntry, findText } from "../../../trees/document.ts";
import { colonSegment, obstacleIn } from "./listen-paths.ts";
import { scriptsOf } from "./sent-credentials.ts";

/** Reports HTTP endpoints that no path declares, if the document declares any operation. */
export function checkDeclaredPaths(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  const byApi = Map.groupBy(routes, ({ api }) => api);
  for (const api of served) {
    const declared = api.paths;
    // Usually the first path of a large document has an operation, so the others are not read.
    if (!declared.some((path) => path.operations().size > 0)) continue;
    const own = byApi.get(api) ?? [];
    const paths = declared.map(({ path }) => path);
    const unserved = api.upstream.url !== undefined ? [] : pathsWithout(own, declared);
    for (const route of own) {
      // OpenAPI cannot declare a WebSocket.
      if (route.transport !== "http" || findDeclared(route) !== undefined) continue;
      // Paths that are impossible or mistaken are already reported.
      if (obstacleIn(route.ownPath) !== undefined || colonSegment(route.ownPath) !== undefined) continue;
      reportUndeclared(route, { paths, unserved }, report);
    }
  }
}

/** The paths that a document declares, and those of them that no route serves. */
interface Paths {
  readonly paths: readonly string[];
  readonly unserved: readonly string[];
}

/** Returns the declared paths that no route serves. */
function pathsWithout(routes: readonly Route[], declared: readonly DeclaredPath[]): readonly string[] {
  const served = new Set(routes.map((route) => findDeclared(route)));
  return declared.filter((each) => !served.has(each)).map(({ path }) => path);
}

/** Cache by `paths`: an editor checks again after each change of another part of a document. */
const flatPaths = new WeakMap<DocumentNode, ReadonlyMap<string, string>>();

/** Returns the first declared path of each flattened text. */
function flatPathsOf({ pathsNode: node, paths }: ApiModel): ReadonlyMap<string, string> {
  const known = node && flatPaths.get(node);
  if (known !== undefined) return known;
  const flat = new Map(paths.toReversed().map(({ path }) => [flatten(path), path]));
  if (node !== undefined) flatPaths.set(node, flat);
  return flat;
}

function reportUndeclared(route: Route, { paths: declared, unserved }: Paths, report: Report): void {
  const { api, ownPath, span } = route;
  // An endpoint that serves a whole prefix is described by the paths below it.
  if (ownPath.endsWith("/") && declared.some((path) => path.startsWith(ownPath))) return;
  // A path that lacks its slash is reported there.
  if (findEntry(api.pathsNode, ownPath.slice(1)) !== undefined) return;
  const almost = flatPathsOf(api).get(flatten(ownPath));
  if (almost !== undefined) {
    const difference = differenceOf(ownPath, almost);
    report("GW4052", span, { path: ownPath, declared: almost, difference });
    return;
  }
  const listenPath = api.listenPath;
  const withoutListenPath = ownPath.startsWith(listenPath) ? ownPath.slice(listenPath.length - 1) : undefined;
  if (listenPath !== "/" && withoutListenPath !== undefined && unserved.includes(withoutListenPath)) {
    const difference = "the listen path, which is before it already";
    report("GW4052", span, { path: ownPath, declared: withoutListenPath, difference });
    return;
  }
  // No route serves the path that resembles this one, so that path was meant.
  const meant = suggest(ownPath, unserved);
  if (meant !== undefined) {
    report("GW4052", span, { path: ownPath, declared: meant, difference: "spelling" });
    return;
  }
  const closest = declared.find((path) => path === withoutListenPath) ?? suggest(ownPath, declared);
  report("GW4053", span, { path: ownPath, closest });
}

/** Returns a path without details that are easily overlooked: case, a trailing slash, parameter names. */
function flatten(path: string): string {
  return withoutNames(path).toLowerCase().replace(/\/$/, "");
}

function withoutNames(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}

function differenceOf(path: string, declared: string): string {
  if (path.endsWith("/") !== declared.endsWith("/")) return "the trailing slash";
  return withoutNames(path) === withoutNames(declared) ? "the name of a parameter" : "letter case";
}

/** Reports endpoints with verbs that their path does not declare, and operations that would be refused. */
export function checkDeclaredVerbs(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  const byApi = Map.groupBy(
    routes.filter(({ transport }) => transport === "http"),
    ({ api }) => api,
  );
  for (const api of served) {
    const byPath = Map.groupBy(byApi.get(api) ?? [], (route) => findDeclared(route));
    for (const [path, own] of byPath) if (path !== undefined) checkPath(path, own, report);
  }
}

function checkPath(declared: DeclaredPath, routes: readonly Route[], report: Report): void {
  const operations = declared.operations();
  if (operations.size === 0) return;
  const strangers = routes.filter(({ verbs }) => !verbs.some((verb) => operations.has(verb)));
  for (const route of strangers) reportStranger(route, [...operations.keys()], report);
  if (strangers.length === 0) checkOperations([...operations.values()], routes, report);
}

const verbOptions = optionsNamed(["allowed_verbs"]);

function reportStranger(
  { component, ownPath, span, verbs }: Route,
  declared: readonly string[],
  report: Report,
): void {
  const written = verbOptions(component)?.allowed_verbs.value?.span;
  report("GW4051", written ?? span, { path: ownPath, served: verbs, declared });
}

function checkOperations(
  operations: readonly DeclaredOperation[],
  routes: readonly Route[],
  report: Report,
): void {
  const served = [...new Set(routes.flatMap(({ verbs }) => verbs))];
  for (const { verb, verbSpan } of operations) {
    // CORS answers OPTIONS requests.
    if (served.includes(verb) || verb === "OPTIONS") continue;
    const [route] = routes;
    const related = route && { span: route.span, message: "The path is served here." };
    report("GW4054", verbSpan, { verb, path: route?.ownPath ?? "", served }, related);
  }
}

const replyOptions = optionsNamed(["status"]);

/**
 * Reports a response status that the operation lacks while it declares others of its class, such as 201 but not 202.
 */
export function checkDeclaredStatuses(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  const ofComponents = Map.groupBy(
    routes.filter(({ api, transport }) => transport === "http" && served.includes(api)),
    ({ component }) => component,
  );
  for (const [component, own] of ofComponents) {
    const replies = repliesOf(component);
    const status = replies && replyOptions(replies)?.status;
    const written = status?.value;
    if (status === undefined || (written === undefined && !own.every(repliesWithout))) continue;
    const code = status.text;
    if (code === undefined || !/^\d{3}$/.test(code)) continue;
    const declared = own.flatMap(declaredStatuses);
    const near = [...new Set(declared.filter((each) => /^\d{3}$/.test(each) && each[0] === code[0]))];
    const isDeclared = declared.some((each) =>
      [code, `${code[0]}xx`, "default"].includes(each.toLowerCase()),
    );
    if (near.length === 0 || isDeclared) continue;
    const span = written?.span ?? component.nameSpan;
    report("GW4282", span, { status: code, declared: near, isDefault: written === undefined });
  }
}

/** Whether a stream replies with messages, and sets no metadata that are meant as the status. */
function repliesWithout({ stream }: Route): boolean {
  return (
    componentsOf(stream).some(({ descriptor }) => descriptor?.answersRequests === true) &&
    !scriptsOf(stream).some(({ span }) => span.source.text.includes("http_status_code"))
  );
}

/** Returns the response statuses of the operations that a route serves. */
function declaredStatuses(route: Route): readonly string[] {
  const operations = findDeclared(route)?.operations();
  return route.verbs.flatMap((verb) =>
    responsesOf(operations?.get(verb)?.node, route.api.references).map(({ key }) => key),
  );
}

const streamOptions = optionsNamed(["stream_format"]);

/** Reports operations that declare a response type although the endpoint answers with server-sent events only. */
export function checkDeclaredEvents(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  for (const route of routes) {
    const { api, component, field, span } = route;
    const format = streamOptions(component)?.stream_format.text;
    if (field !== "stream_path" || format !== "event_source" || !served.includes(api)) continue;
    const operation = findDeclared(route)?.operations().get("GET");
    const responses = responsesOf(operation?.node, api.references);
    const response = responses.find(({ key }) => key === "200")?.value;
    const [type, ...others] = entriesOf(contentOf(response, api.references));
    if (
      type === undefined ||
      [type, ...others].some(({ key }) => /^(?:text|\*)\/(?:event-stream|\*)/i.test(key))
    )
      continue;
    const related = { span, message: "The endpoint is here." };
    report("GW4283", type.keySpan, { declared: type.key, path: route.ownPath }, related);
  }
}

/** Reports path parameters whose name does not occur in the path, and parameters of the path that are not described. */
export function checkDeclaredParameters(
  { served, routes }: Pick<SetModel, "served" | "routes">,
  report: Report,
): void {
  for (const api of served) {
    const own = routes.filter((route) => route.api === api);
    // The other paths of a long document are not read.
    const described = isLong(api.file) ? new Set(own.map((route) => findDeclared(route))) : api.paths;
    for (const path of described) if (path !== undefined) checkParametersOfPath(path, report);
  }
}

function checkParametersOfPath(declared: DeclaredPath, report: Report): void {
  const { path } = declared;
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
  // A brace that is not closed is another mistake.
  if (names.length < path.split("{").length - 1) return;
  const operations = [...declared.operations().values()];
  // Other gateways write `{proxy+}`, `{path*}` and `{id:[0-9]+}` for parameters that the document names without signs.
  const plain = names.map((each) => /^\W*([\w.-]+)/.exec(each)?.[1]);
  let isDoubtful = false;
  for (const parameter of [declared, ...operations].flatMap((holder) => holder.parameters())) {
    const { name, nameSpan } = parameter;
    if (name === undefined || nameSpan === undefined) isDoubtful = true;
    else if (parameter.in === "path" && !names.includes(name) && !plain.includes(name)) {
      report("GW4273", nameSpan, { path, name, closest: suggest(name, names), names });
      isDoubtful = true;
    }
  }
  // A parameter that cannot be read, or has another name, may be the one that is missing.
  if (isDoubtful) return;
  const shared = pathParametersOf(declared);
  for (const [at, name] of plain.entries()) {
    if (name === undefined) continue;
    const written = names[at] ?? name;
    const isDescribed = (operation: DeclaredOperation) => {
      const own = pathParametersOf(operation);
      return [written, name].some((each) => shared.has(each) || own.has(each));
    };
    if (!operations.every(isDescribed)) report("GW4295", declared.pathSpan, { path, name });
  }
}

function pathParametersOf(holder: Pick<DeclaredPath, "parameters">): ReadonlySet<string | undefined> {
  return new Set(
    holder.parameters().flatMap((parameter) => (parameter.in === "path" ? [parameter.name] : [])),
  );
}

/** The path items without lists of several parameters, and without references to parameters. */
const unrepeated = new SoundItems(({ parameters = [] }) => {
  if (!Array.isArray(parameters) || parameters.length > 1) return false;
  return parameters.every(isPlain);
});

/** Reports each parameter of a list with the name and the place of an earlier one, which OpenAPI does not allow. */
export function checkRepeatedParameters({ paths }: ApiModel, report: Report): void {
  for (const path of paths) {
    const item = path.item();
    if (item !== undefined && unrepeated.has(item)) continue;
    for (const holder of [path, ...path.operations().values()]) {
      const parameters = holder.parameters();
      if (parameters.length < 2) continue;
      const seen = new Map<string, Span>();
      for (const { name, nameSpan, in: place } of parameters) {
        if (name === undefined || nameSpan === undefined || place === undefined) continue;
        // Names of headers ignore case.
        const key = `${place} ${place === "header" ? name.toLowerCase() : name}`;
        const other = seen.get(key);
        if (other === undefined) seen.set(key, nameSpan);
        else if (other !== nameSpan)
          report(
            "GW4293",
            nameSpan,
            { what: `\`parameters\` lists the ${place} parameter \`${name}\`` },
            {
              span: other,
              message: "The other one is here.",
            },
          );
      }
    }
  }
}

/** Operations with ids of their own. An editor checks the same ones again after each change of another part. */
const distinct = new WeakSet<ReadonlySet<DocumentNode>>();

/** Reports each `operationId` that an earlier operation already has. */
export function checkOperationIds(api: ApiModel, report: Report): void {
  const ids = plainOperationIds(api);
  if (ids !== undefined && new Set(ids).size === ids.length) return;
  const operations = declaredOperations(api);
  if (distinct.has(operations)) return;
  let isDistinct = true;
  const first = new Map<string, DocumentNode>();
  for (const operation of operations) {
    const id = operationIdOf(operation);
    if (id === undefined) continue;
    const other = first.get(id);
    if (other === undefined) {
      first.set(id, operation);
      continue;
    }
    isDistinct = false;
    const span = spanOfId(other);
    report("GW4233", spanOfId(operation), { id }, { span, message: "The other one is here." });
  }
  if (isDistinct) distinct.add(operations);
}

function spanOfId(operation: DocumentNode): Span {
  return writtenOperationId(operation)?.span ?? operation.span;
}

/** Reports tags of operations that resemble a declared tag. OpenAPI does not require tags to be declared. */
export function checkTags(api: ApiModel, report: Report): void {
  const declared = new Set(api.description.tags.flatMap(({ name }) => name ?? []));
  if (declared.size === 0) return;
  for (const operation of declaredOperations(api)) {
    for (const tag of tagsOf(operation)) {
      const name = findText(tag);
      if (name === undefined || declared.has(name)) continue;
      const closest = findSlip(name, declared);
      if (closest !== undefined) report("GW4287", tag.span, { name, closest, respelling: "unsure" });
    }
  }
}

/** Methods that say nothing about what an API serves: `OPTIONS` is the preflight, `HEAD` comes with `GET`. */
const ofEveryApi: ReadonlySet<string> = new Set(["OPTIONS", "HEAD"]);

/** Reports a list of CORS methods with one that nothing serves, if another one is served that pages cannot send. */
export function checkMethodsOfPages(api: ApiModel, report: Report): void {
  const { blocks, paths, upstream } = api;
  const list = blocks.corsMethods?.node;
  if (blocks.cors?.enabled !== true || list?.kind !== "list") return;
  const listed = list.items.map((item) => ({
    span: item.span,
    method: findText(item)?.toUpperCase() ?? "$",
  }));
  // A method that is known only at start may be any.
  if (listed.some(({ method }) => method === "*" || method.includes("$"))) return;
  const routes = collectRoutes(api).flatMap(({ verbs }) => verbs);
  const declared = paths.flatMap((path) => [...path.operations().keys()]);
  // An upstream may serve any path that is not declared.
  if (upstream.url !== undefined && declared.length === 0) return;
  const served = new Set([...routes, ...declared].filter((verb) => !ofEveryApi.has(verb)));
  const lacking = [...served].filter((verb) => !listed.some(({ method }) => method === verb));
  const idle = listed.find(
    ({ method }) => method !== "GET" && !served.has(method) && !ofEveryApi.has(method),
  );
  if (served.size > 0 && lacking.length > 0 && idle !== undefined)
    report("GW4285", idle.span, { method: idle.method, lacking });
}
