// `allowed_urls` of an access right against what an API serves. Says something only where no request can
// be meant: paths with parameters, prefixes and upstreams are open to many.

import type { Report } from "../../diagnostics/sink.ts";
import { nearest, suggest } from "../../diagnostics/suggest.ts";
import type { ApiModel } from "../../model/api.ts";
import type { Route } from "../../model/routes.ts";
import { itemsOf } from "../../model/written.ts";
import { type DocumentNode, findNode, findText } from "../../trees/document.ts";

/** A path that is served, and the verbs it is served for. */
interface ServedPath {
  readonly path: string;
  readonly verbs: readonly string[];
}

/** Reports each entry that allows nothing there is. */
export function checkAllowedUrls(
  right: DocumentNode,
  api: ApiModel,
  routes: readonly Route[],
  report: Report,
): void {
  const entries = itemsOf(findNode(right, "allowed_urls"));
  for (const item of entries.flatMap(methodsOf).filter(isMisspelt)) reportMethod(item, report);
  // Paths of an upstream are its own affair.
  if (entries.length === 0 || api.upstream.url !== undefined) return;
  const served = servedPaths(api, routes);
  for (const entry of entries) {
    const url = findNode(entry, "url");
    const written = findText(url);
    const pattern = written === undefined ? undefined : parsePattern(written);
    if (url === undefined || written === undefined || pattern === undefined) continue;
    if (methodsOf(entry).some(isMisspelt)) continue;
    const methods = methodsOf(entry).flatMap((item) => findText(item)?.toUpperCase() ?? []);
    const matched = served.filter(({ path }) => mayMatch(pattern, path));
    if (matched.length === 0) report("GW4068", url.span, { url: written, api: api.id, methods: [] });
    else if (methods.length > 0 && !matched.some(({ verbs }) => verbs.some((verb) => methods.includes(verb))))
      report("GW4068", url.span, { url: written, api: api.id, methods });
  }
}

function methodsOf(entry: DocumentNode): readonly DocumentNode[] {
  return itemsOf(findNode(entry, "methods"));
}

const knownMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/** Methods of an upstream may be any, but those that are nearly a known one. */
function isMisspelt(item: DocumentNode): boolean {
  const method = findText(item)?.toUpperCase();
  return (
    method !== undefined && !knownMethods.includes(method) && suggest(method, knownMethods) !== undefined
  );
}

function reportMethod(item: DocumentNode, report: Report): void {
  const value = findText(item) ?? "";
  report("GW4013", item.span, {
    field: "methods",
    value,
    allowed: knownMethods,
    ...nearest(value, knownMethods),
  });
}

/** A socket is opened with GET. */
function servedPaths(api: ApiModel, routes: readonly Route[]): readonly ServedPath[] {
  const declared = api.paths.map(({ path, operations }) => ({
    path,
    verbs: [...operations().keys()],
  }));
  const ofStreams = routes.map(({ ownPath, transport, verbs }) => ({
    path: ownPath,
    verbs: transport === "websocket" ? ["GET"] : verbs,
  }));
  return [...declared, ...ofStreams];
}

/** `undefined` where it is not a regular expression, which was reported. */
function parsePattern(text: string): RegExp | undefined {
  try {
    return new RegExp(text);
  } catch {
    return undefined; // the only thing it throws is SyntaxError
  }
}

function mayMatch(pattern: RegExp, path: string): boolean {
  if (pattern.test(path)) return true;
  const [fixed = ""] = path.split("{");
  const isOpen = path.includes("{") || path.endsWith("/");
  return isOpen && (fixed.startsWith(fixedStart(pattern)) || fixedStart(pattern).startsWith(fixed));
}

/** The text every match begins with: `/orders/` of `^/orders/[0-9]+`; nothing where it may begin anywhere. */
function fixedStart({ source }: RegExp): string {
  const [, text = ""] = /^\^((?:\\\/|[\w/~-])*)/.exec(source) ?? [];
  const next = source[text.length + 1];
  const plain = text.replaceAll("\\/", "/");
  // The last character may be left out, or be one of two ways to go on.
  if (source.includes("|")) return "";
  return next !== undefined && "?*{".includes(next) ? plain.slice(0, -1) : plain;
}
