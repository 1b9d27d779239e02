// Reads the declarations in the OpenAPI part of a document: its servers, its paths and their operations. Determines
// which two paths may match the same request.

import type { Span } from "../source/source.ts";
import type { ApiDocument, References } from "../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../trees/document.ts";
import { entriesOf, itemsOf } from "./written.ts";

/** A document with its declarations. */
export interface DeclaredApi extends ApiDocument {
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** In the order written; none for a bare stream document. */
  readonly paths: readonly DeclaredPath[];
}

/** An entry of `paths`. Its content is read on demand, because large documents are not read as a whole. */
export interface DeclaredPath {
  readonly path: string;
  /** Returns the operations by verb: `GET`. */
  operations(): ReadonlyMap<string, DeclaredOperation>;
  /** Returns the parameters of all its operations. */
  parameters(): readonly DeclaredParameter[];
}

/** `get: { … }` */
export interface DeclaredOperation {
  readonly verb: string;
  readonly verbSpan: Span;
  readonly node: DocumentNode;
  /** `operationId` */
  id(): string | undefined;
  /** Returns its security requirements, which replace the general ones; `undefined` if it declares none. */
  security(): readonly SecurityRequirement[] | undefined;
  /** Returns its own parameters. */
  parameters(): readonly DeclaredParameter[];
}

/** A parameter, with its reference resolved. */
export interface DeclaredParameter {
  readonly node: DocumentNode;
  readonly in: string | undefined;
  readonly name: string | undefined;
  readonly nameSpan: Span | undefined;
}

/** Schemes that all have to accept a request. Without schemes no credential is required. */
export interface SecurityRequirement {
  readonly span: Span;
  readonly schemes: readonly RequiredScheme[];
}

export interface RequiredScheme {
  readonly name: string;
  readonly nameSpan: Span;
  readonly scopes: readonly string[];
}

/** An operation as requests identify it. */
export interface OperationPlace {
  /** Below the listen path. */
  readonly path: string;
  readonly verb: string;
}

/** An entry of `servers`. */
export interface DeclaredServer {
  readonly node: DocumentNode;
  readonly url: string | undefined;
  readonly urlSpan: Span | undefined;
}

/** The methods under which a path item declares operations. */
export const verbKeys: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "query",
]);

/** Returns the declared paths in the order written; none for a bare stream document. */
export function declaredPaths({ root, references }: ApiDocument): readonly DeclaredPath[] {
  return entriesOf(references.find(root, "paths")).flatMap((entry) => {
    if (!entry.key.startsWith("/")) return [];
    const item = () => references.resolve(entry.value);
    return [
      {
        path: entry.key,
        operations: () => operationsOf(item(), references),
        parameters: () => parametersOf(item(), references),
      },
    ];
  });
}

const declared = new WeakMap<ApiDocument, ReadonlySet<DocumentNode>>();

/** Returns the operations of the document's paths and webhooks, and of their callbacks, each once. */
export function declaredOperations(api: ApiDocument): Iterable<DocumentNode> {
  const found = declared.get(api) ?? findOperations(api);
  declared.set(api, found);
  return found;
}

function findOperations({ root, references }: ApiDocument): ReadonlySet<DocumentNode> {
  const found = new Set<DocumentNode>();
  const holders = [references.find(root, "paths"), references.find(root, "webhooks")];
  // The loop appends the operations of callbacks.
  for (const holder of holders) {
    for (const { key, value } of entriesOf(holder)) {
      if (key.startsWith("x-")) continue;
      for (const { node } of operationEntries(references.resolve(value), references)) {
        if (found.has(node)) continue;
        found.add(node);
        const callbacks = entriesOf(references.find(node, "callbacks"));
        holders.push(...callbacks.map((callback) => references.resolve(callback.value)));
      }
    }
  }
  return found;
}

function operationsOf(
  item: DocumentNode | undefined,
  references: References,
): ReadonlyMap<string, DeclaredOperation> {
  const found = new Map<string, DeclaredOperation>();
  for (const { verb, verbSpan, node } of operationEntries(item, references))
    found.set(verb, new OperationOfNode(verb, verbSpan, node, references));
  return found;
}

interface OperationEntry {
  readonly verb: string;
  readonly verbSpan: Span;
  readonly node: DocumentNode;
}

/** Cache by path items without references: an editor checks again after each change of another part of a document. */
const knownEntries = new WeakMap<DocumentNode, readonly OperationEntry[]>();

/** Returns the operations of a path item. */
function operationEntries(item: DocumentNode | undefined, references: References): readonly OperationEntry[] {
  const known = item && knownEntries.get(item);
  if (known !== undefined) return known;
  let isWritten = true;
  const found = entriesOf(item).flatMap(({ key, keySpan, value }): readonly OperationEntry[] => {
    if (!verbKeys.has(key)) return [];
    const node = references.resolve(value);
    if (node !== value) isWritten = false;
    return node === undefined ? [] : [{ verb: key.toUpperCase(), verbSpan: keySpan, node }];
  });
  if (item !== undefined && isWritten) knownEntries.set(item, found);
  return found;
}

/** A class, because a large document has thousands of operations. */
class OperationOfNode implements DeclaredOperation {
  readonly verb: string;
  readonly verbSpan: Span;
  readonly node: DocumentNode;
  readonly #references: References;

  constructor(verb: string, verbSpan: Span, node: DocumentNode, references: References) {
    this.verb = verb;
    this.verbSpan = verbSpan;
    this.node = node;
    this.#references = references;
  }

  id(): string | undefined {
    return findText(this.node, "operationId");
  }

  security(): readonly SecurityRequirement[] | undefined {
    return requirementsOf(this.node);
  }

  parameters(): readonly DeclaredParameter[] {
    return parametersOf(this.node, this.#references);
  }
}

function parametersOf(
  holder: DocumentNode | undefined,
  references: References,
): readonly DeclaredParameter[] {
  return itemsOf(references.find(holder, "parameters")).flatMap((item) => {
    const node = references.resolve(item);
    if (node === undefined) return [];
    const name = findNode(node, "name");
    return [{ node, in: findText(node, "in"), name: findText(name), nameSpan: name?.span }];
  });
}

/** Returns the `security` of a document or an operation; `undefined` if it is not written. */
export function requirementsOf(holder: DocumentNode): readonly SecurityRequirement[] | undefined {
  const security = findEntry(holder, "security")?.value;
  if (security === undefined) return undefined;
  return itemsOf(security).map((item) => ({
    span: item.span,
    schemes: entriesOf(item).map(({ key, keySpan, value }) => ({
      name: key,
      nameSpan: keySpan,
      scopes: itemsOf(value).flatMap((scope) => findText(scope) ?? []),
    })),
  }));
}

/** Returns the `servers` of a document. */
export function declaredServers({ root }: ApiDocument): readonly DeclaredServer[] {
  return itemsOf(findNode(root, "servers")).map((node) => {
    const url = findNode(node, "url");
    return { node, url: findText(url), urlSpan: url?.span };
  });
}

/**
 * Returns a declared path below the listen path. Documents without `servers` may include the listen path in their
 * paths, so both readings count.
 */
export function pathsBelow(path: string, { root, listenPath }: DeclaredApi): readonly string[] {
  const isBelow =
    listenPath !== "/" && path.startsWith(listenPath) && findNode(root, "servers") === undefined;
  return isBelow ? [path, path.slice(listenPath.length - 1)] : [path];
}

/**
 * Returns declared operations outside `taken` whose requests could be taken for those of one in `taken`: `/rooms/new`
 * next to `/rooms/{id}`.
 */
export function operationsBeside(
  taken: readonly OperationPlace[],
  api: DeclaredApi,
): readonly OperationPlace[] {
  const own = Map.groupBy(taken, ({ path }) => path);
  const paths = [...own.keys()];
  return api.paths
    .flatMap((declared) => pathsBelow(declared.path, api).map((path) => ({ path, declared })))
    .filter(({ path }) => paths.some((each) => mayBeTakenFor(path, each)))
    .flatMap(({ path, declared }) => [...declared.operations().keys()].map((verb) => ({ path, verb })))
    .filter(({ path, verb }) => own.get(path)?.some((each) => each.verb === verb) !== true);
}

/** Whether some path matches both, given as segments: `/a/{id}` and `/a/new`. */
function overlap(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((segment, index) => meets(segment, second[index]));
}

/**
 * Whether a request for `path` would be taken for one of the operation at `taken` if no other operation were known: by
 * one of the readings of `runtime/http/incoming/operation-table.ts`, or as a path below one that ends with `/`.
 */
function mayBeTakenFor(path: string, taken: string): boolean {
  const segments = looseSegments(path);
  const others = looseSegments(taken);
  if (taken.endsWith("/") && overlap(segments.slice(0, others.length), others)) return true;
  return [segments, withoutExtension(segments)].some((reading) => overlap(reading, others));
}

/** Returns segments as a server might read them that ignores case and repeated slashes. */
function looseSegments(path: string): readonly string[] {
  return path
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "");
}

function withoutExtension(segments: readonly string[]): readonly string[] {
  return segments.map((segment, index) =>
    index === segments.length - 1 && !isParameter(segment) ? segment.replace(/(?<=.)\..*$/, "") : segment,
  );
}

function meets(segment: string, other = ""): boolean {
  return segment === other || isParameter(segment) || isParameter(other);
}

/** Whether a segment contains a parameter. Text around the parameter then makes no difference. */
function isParameter(segment: string): boolean {
  return /\{[^{}]+\}/.test(segment);
}
