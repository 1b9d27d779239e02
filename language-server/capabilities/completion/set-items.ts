// Completion of values that other parts of a set declare: policies, APIs, paths of streams, listen paths, topics.

import { type CompletionItem, CompletionItemKind, CompletionItemTag } from "vscode-languageserver";
import { offsetsOf, type Span } from "../../../compiler/source/source.ts";
import { type DocumentNode, findNode, findText } from "../../../compiler/trees/document.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import { destinationField, destinationsOf, systemOf } from "../../analysis/destinations.ts";
import type { DocumentPlace } from "../../analysis/document-place.ts";
import { absolutePath } from "../../workspace/paths.ts";

/** Converts a value to the syntax of the document; quotes it in JSON. */
type Quote = (value: unknown) => string;

/** Returns the items for a value that refers to another part of the set. */
export function setItems(
  place: DocumentPlace,
  root: DocumentNode,
  quoted: Quote,
  analysis: Analysis | undefined,
): readonly CompletionItem[] {
  return [
    ...namedItems(place, quoted, analysis),
    ...accessItems(place, quoted, analysis),
    ...listenPathItems(place, root, quoted),
    ...destinationItems(place, quoted, analysis),
  ];
}

/** Returns the keys of an object whose keys refer to another part of the set. */
export function setKeyItems(
  { schema, node }: DocumentPlace,
  quoted: Quote,
  analysis: Analysis | undefined,
): readonly CompletionItem[] {
  const named = schema?.["x-names"];
  if (named === undefined) return [];
  const present = new Set(node.kind === "map" ? node.entries.map(({ key }) => key) : []);
  return namesOf(named, analysis)
    .filter((name) => !present.has(name))
    .map((label) => ({ label, kind: CompletionItemKind.Reference, insertText: `${quoted(label)}:` }));
}

function namesOf(kind: "policy" | "api", analysis: Analysis | undefined): readonly string[] {
  const { apis = [], process } = analysis?.set ?? {};
  const ids = kind === "api" ? apis.map(({ id }) => id) : (process?.policies ?? []).map(({ id }) => id);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

function namedItems(
  { schema }: DocumentPlace,
  quoted: Quote,
  analysis: Analysis | undefined,
): readonly CompletionItem[] {
  const named = schema?.type === "string" ? schema["x-names"] : undefined;
  return named === undefined ? [] : namesOf(named, analysis).map((label) => reference(label, quoted));
}

/**
 * Returns items for `allowed_urls`: a pattern for each route of the API, and the methods of the routes that a pattern
 * matches.
 */
function accessItems(
  { path, parent }: DocumentPlace,
  quoted: Quote,
  analysis: Analysis | undefined,
): readonly CompletionItem[] {
  const at = path.indexOf("allowed_urls");
  if (at < 1) return [];
  const routes = (analysis?.set?.routes ?? []).filter(({ api }) => api.id === path[at - 1]);
  const last = path.at(-1);
  if (last === "url") return [...new Set(routes.map(patternOf))].map((label) => reference(label, quoted));
  if (path.at(-2) !== "methods") return [];
  const url = findText(parent?.parent?.node, "url");
  const own = routes.filter((route) => patternOf(route) === url);
  const verbs = (own.length > 0 ? own : routes).flatMap((route) => route.verbs);
  return [...new Set(verbs)].map((label) => reference(label, quoted));
}

/** Returns the pattern of a route: `^/orders/[^/]+$` for `/orders/{id}`. */
function patternOf({ ownPath }: { readonly ownPath: string }): string {
  const parts = ownPath.split(/(\{[^}]*\})/);
  const pattern = parts
    .map((part) => (part.startsWith("{") ? "[^/]+" : part.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&")))
    .join("");
  return ownPath.endsWith("/") && ownPath !== "/" ? `^${pattern}` : `^${pattern}$`;
}

/** Returns the path prefixes that the document declares in `servers`, and its id. */
function listenPathItems(
  { path }: DocumentPlace,
  root: DocumentNode,
  quoted: Quote,
): readonly CompletionItem[] {
  if (path.slice(-2).join(".") !== "listenPath.value") return [];
  const servers = findNode(root, "servers");
  const urls = servers?.kind === "list" ? servers.items.flatMap((each) => findText(each, "url") ?? []) : [];
  const paths = urls.map((url) => url.replace(/^[a-z][\w+.-]*:\/\/[^/]*/i, "").replace(/\/?$/, "/"));
  const id = findText(root, "x-gw-api-gateway", "info", "id");
  const found = [
    ...paths.filter((each) => /^\/[^{}]+$/.test(each)),
    ...(id === undefined ? [] : [`/${id}/`]),
  ];
  return [...new Set(found)].map((label) => reference(label, quoted));
}

/** Returns the topics and queues that streams of the set use elsewhere, at the same kind of broker. */
function destinationItems(
  place: DocumentPlace,
  quoted: Quote,
  analysis: Analysis | undefined,
): readonly CompletionItem[] {
  const { component } = place;
  if (analysis === undefined || component === undefined) return [];
  const field = destinationField(component);
  if (field === undefined || ![place.entry?.key, place.parent?.entry?.key].includes(field)) return [];
  const system = systemOf(component);
  // Excludes the name at the pointer, which is being typed.
  const own = offsetsOf(place.node.span).start;
  const isOwn = (span: Span) =>
    absolutePath(span.source.file.path) === absolutePath(place.node.span.source.file.path) &&
    [0, 1].includes(offsetsOf(span).start - own);
  const names = destinationsOf(analysis).filter(
    ({ broker, span }) => broker.split(" ", 1)[0] === system && !isOwn(span),
  );
  return [...new Set(names.map(({ name }) => name))].map((label) => reference(label, quoted));
}

function reference(label: string, quoted: Quote): CompletionItem {
  return { label, kind: CompletionItemKind.Reference, insertText: quoted(label) };
}

/**
 * Keeps an item that accesses the machine of the gateway in the list even if the set does not allow it, but struck
 * through and after all others: users who search for it then learn what they have to allow.
 */
export function unlessAllowed(isAllowed: boolean, item: CompletionItem): CompletionItem {
  return isAllowed
    ? item
    : {
        ...item,
        detail: `${item.detail ?? item.label} (not in \`allow_unsafe\`)`,
        sortText: `~${item.label}`,
        tags: [CompletionItemTag.Deprecated],
      };
}
