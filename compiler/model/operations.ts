// Reads the declarations in the OpenAPI part of a document: its paths, their operations and the parameters of these.

import type { Span } from "../source/source.ts";
import type { ApiDocument, References } from "../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText, type MapEntry } from "../trees/document.ts";
import { idIn, operationIdOf } from "./operation-parts.ts";
import { plainItem, SoundItems, verbKeys } from "./path-items.ts";
import { entriesOf, itemsOf } from "./written.ts";

/** A document with its declarations. */
export interface DeclaredApi extends ApiDocument {
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** In the order written; none for a bare stream document. */
  readonly paths: readonly DeclaredPath[];
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
  /** The list of scopes; absent if the document has none. */
  readonly written?: DocumentNode;
}

/** An operation as requests identify it. */
export interface OperationPlace {
  /** Below the listen path. */
  readonly path: string;
  readonly verb: string;
}

/** Returns the declared paths in the order written; none for a bare stream document. */
export function declaredPaths({ root, references }: ApiDocument): readonly DeclaredPath[] {
  return entriesOf(references.find(root, "paths"))
    .filter(({ key }) => key.startsWith("/"))
    .map((entry) => new DeclaredPath(entry, references));
}

const unsecured = new SoundItems((part) => !Object.hasOwn(part, "security"));

/**
 * An entry of `paths`. Its content is read on demand, because large documents are not read as a whole. A class, because a
 * large document has thousands of paths.
 */
export class DeclaredPath {
  readonly #entry: MapEntry;
  readonly #references: References;

  constructor(entry: MapEntry, references: References) {
    this.#entry = entry;
    this.#references = references;
  }

  get path(): string {
    return this.#entry.key;
  }

  get pathSpan(): Span {
    return this.#entry.keySpan;
  }

  /** Returns its path item, with its reference resolved. */
  item(): DocumentNode | undefined {
    return this.#references.resolve(this.#entry.value);
  }

  /** Returns the operations by verb: `GET`. */
  operations(): ReadonlyMap<string, DeclaredOperation> {
    return operationsOf(this.item(), this.#references);
  }

  /** Returns the operations with security requirements of their own. */
  securedOperations(): readonly DeclaredOperation[] {
    const item = this.item();
    if (item === undefined || unsecured.has(item)) return [];
    const found = operationEntries(item, this.#references).filter(
      ({ node }) => findEntry(node, "security") !== undefined,
    );
    if (found.length === 0 && isWrittenInPlace(item)) unsecured.add(item);
    return found.map(
      ({ verb, verbSpan, node }) => new DeclaredOperation(verb, verbSpan, node, this.#references),
    );
  }

  /** Returns the parameters of all its operations. */
  parameters(): readonly DeclaredParameter[] {
    return parametersOf(this.item(), this.#references);
  }
}

const declared = new WeakMap<ApiDocument, ReadonlySet<DocumentNode>>();

/**
 * Cache by `paths` objects of documents without webhooks whose operations are all written in place, without callbacks:
 * the operations depend on nothing else.
 */
const operationsIn = new WeakMap<DocumentNode, ReadonlySet<DocumentNode>>();

/**
 * Returns the operations of the document's paths and webhooks, and of their callbacks, each once. Those of `except` may be
 * left out.
 */
export function declaredOperations(api: ApiDocument, except?: SoundItems): ReadonlySet<DocumentNode> {
  return declared.get(api) ?? findOperations(api, except);
}

function findOperations(api: ApiDocument, except?: SoundItems): ReadonlySet<DocumentNode> {
  const { root, references } = api;
  const paths = references.find(root, "paths");
  const webhooks = references.find(root, "webhooks");
  const known = paths && webhooks === undefined ? operationsIn.get(paths) : undefined;
  if (known !== undefined) return known;
  let isWhole = true;
  let isWritten = webhooks === undefined;
  const found = new Set<DocumentNode>();
  const holders = [paths, webhooks];
  // The loop appends the operations of callbacks.
  for (const holder of holders) {
    for (const { key, value } of entriesOf(holder)) {
      if (key.startsWith("x-")) continue;
      const item = references.resolve(value);
      if (item !== undefined && except?.has(item) === true) {
        isWhole = false;
        continue;
      }
      const calling = addOperations(item, references, found);
      holders.push(...calling.flatMap((operation) => callbacksOf(operation, references)));
      if (calling.length > 0 || item !== value || !isWrittenInPlace(item)) isWritten = false;
    }
  }
  if (isWhole) declared.set(api, found);
  if (paths !== undefined && isWritten && isWhole) operationsIn.set(paths, found);
  return found;
}

/** Adds the operations of a path item to `found`. Returns those that were added and have callbacks. */
function addOperations(
  item: DocumentNode | undefined,
  references: References,
  found: Set<DocumentNode>,
): readonly DocumentNode[] {
  return operationEntries(item, references).flatMap(({ node }) => {
    if (found.has(node)) return [];
    found.add(node);
    return findEntry(node, "callbacks") === undefined ? [] : [node];
  });
}

/** Returns the path items in the callbacks of an operation. */
function callbacksOf(operation: DocumentNode, references: References): readonly (DocumentNode | undefined)[] {
  return entriesOf(references.find(operation, "callbacks")).map(({ value }) => references.resolve(value));
}

/** Returns the ids of all operations without reading these; `undefined` if some cannot be known that way. */
export function plainOperationIds({ root, references }: ApiDocument): readonly string[] | undefined {
  if (findEntry(root, "webhooks") !== undefined) return undefined;
  const ids: string[] = [];
  for (const { key, value } of entriesOf(references.find(root, "paths"))) {
    if (key.startsWith("x-")) continue;
    const operations = plainItem(value)?.operations;
    if (operations === undefined) return undefined;
    for (const operation of operations) {
      if (Object.hasOwn(operation, "callbacks")) return undefined;
      const id = idIn(operation);
      if (id !== undefined) ids.push(id);
    }
  }
  return ids;
}

function operationsOf(
  item: DocumentNode | undefined,
  references: References,
): ReadonlyMap<string, DeclaredOperation> {
  const found = new Map<string, DeclaredOperation>();
  for (const { verb, verbSpan, node } of operationEntries(item, references))
    found.set(verb, new DeclaredOperation(verb, verbSpan, node, references));
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

/** Whether the operations of a path item that was read are all written in it, so that they depend on it alone. */
function isWrittenInPlace(item: DocumentNode): boolean {
  return knownEntries.has(item);
}

/** `get: { … }`; a class, because a large document has thousands of operations. */
export class DeclaredOperation {
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

  /** Returns its `operationId`. */
  id(): string | undefined {
    return operationIdOf(this.node);
  }

  /** Returns its security requirements, which replace the general ones; `undefined` if it declares none. */
  security(): readonly SecurityRequirement[] | undefined {
    return requirementsOf(this.node);
  }

  /** Returns its own parameters. */
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
    return node === undefined ? [] : [new DeclaredParameter(node)];
  });
}

/**
 * A parameter, with its reference resolved. Its fields are read on demand, because most rules about parameters read few of
 * them.
 */
export class DeclaredParameter {
  readonly node: DocumentNode;

  constructor(node: DocumentNode) {
    this.node = node;
  }

  get in(): string | undefined {
    return findText(this.node, "in");
  }

  get name(): string | undefined {
    return findText(this.node, "name");
  }

  get nameSpan(): Span | undefined {
    return findNode(this.node, "name")?.span;
  }

  get description(): string | undefined {
    return findText(this.node, "description");
  }

  get example(): DocumentNode | undefined {
    return findNode(this.node, "example");
  }

  /** How its value is written. */
  get style(): string | undefined {
    return findText(this.node, "style");
  }
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
      written: value,
    })),
  }));
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
