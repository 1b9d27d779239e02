// Reads one API document: its tree, id, extensions and streams. Finds extensions under either spelling and resolves
// references in them. Refuses files that are neither an OpenAPI 3 document nor a bare stream.

import { documentSchemas, extensionAliases } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest, suggest } from "../../diagnostics/suggest.ts";
import { isLong, type Span, spanOf } from "../../source/source.ts";
import type { ApiDocument, LoadedDocument, References } from "../../trees/api.ts";
import type { Dialect } from "../../trees/dialect.ts";
import {
  type DocumentNode,
  describeNode,
  findEntry,
  findNode,
  type MapEntry,
  type MapNode,
} from "../../trees/document.ts";
import type { CheckMemory } from "../check-memory.ts";
import { isSkimmed } from "../json/skim-json.ts";
import { readVersion } from "../openapi/version.ts";
import { createExpander, type Expander } from "../references/expand.ts";
import type { Library } from "../references/library.ts";
import { findReference } from "../references/locate.ts";
import { createNames } from "../references/names.ts";
import { followOnDemand, refersToItself } from "../references/on-demand.ts";
import { followReferences, followWithin } from "../references/references.ts";
import { type BuildEnvironment, withBuildVariables } from "../streams/build-variables.ts";
import { withTemplates } from "../streams/component-templates.ts";
import { readGatewayExtension } from "../streams/read-settings.ts";
import { readStreams } from "../streams/read-streams.ts";
import { withSchemaFiles } from "../streams/schema-files.ts";
import { nameOf, stemOf } from "./paths.ts";

/** A document whose root is an object, which the root of every API has to be. */
interface LoadedObject extends Pick<LoadedDocument, "file"> {
  readonly root: MapNode;
}

/** The dependencies and options of reading an API. */
export interface ReadApiOptions {
  readonly library: Library;
  readonly report: Report;
  /** False for documents that came over the network: they may not read files. */
  readonly allowFiles: boolean;
  /** The components and templates that the document may use. */
  readonly dialect: Dialect;
  readonly memory?: CheckMemory | undefined;
  /** The build environment. Applies only to documents that may read files. */
  readonly environment?: BuildEnvironment | undefined;
}

/** Reads the document at `path`, which is named at `named`. Returns `undefined` after a report if it is not an API. */
export async function readApi(
  path: string,
  options: ReadApiOptions,
  named?: Span,
): Promise<ApiDocument | undefined> {
  const loaded = await options.library.load(path, named);
  if (loaded === undefined) return undefined;
  const { file, root } = loaded;
  if (root.kind !== "map") {
    const first = nameOf(path).startsWith("gateway.") ? "apis: [orders.yaml]" : 'openapi: "3.1.1"';
    options.report("GW1054", root.span, { actual: describeNode(root), first });
    return undefined;
  }
  if (isSet(root)) {
    options.report("GW1053", named ?? spanOf(file, 0, 0), { path });
    return undefined;
  }
  return findEntry(root, "openapi") === undefined && isBareStream(root)
    ? assemble({ file, root }, undefined, options)
    : readOpenapi({ file, root }, options);
}

/** Whether a document is a `gateway.yaml`: it names APIs and is not one itself. */
export function isSet(root: MapNode): boolean {
  return findEntry(root, "apis") !== undefined && !isApi(root);
}

/** Whether a document claims to be an API, valid or not. */
export function isApi(root: MapNode): boolean {
  return ["openapi", "swagger"].some((key) => findEntry(root, key) !== undefined) || isBareStream(root);
}

function isBareStream(root: MapNode): boolean {
  if (findEntry(root, "x-gw-streaming") !== undefined) return false;
  return ["input", "output", "pipeline"].some((key) => findEntry(root, key) !== undefined);
}

async function readOpenapi(loaded: LoadedObject, options: ReadApiOptions): Promise<ApiDocument | undefined> {
  const { root } = loaded;
  const version = readVersion(root, options.report);
  if (version === "none") {
    const closest = suggest(
      "openapi",
      root.entries.map((entry) => entry.key),
    );
    const wrong = closest === undefined ? undefined : findEntry(root, closest);
    options.report("GW1040", wrong?.keySpan ?? beginningOf(root), { closest });
  }
  return version === "none" || version === "unsupported" ? undefined : assemble(loaded, version, options);
}

async function assemble(
  { file, root }: LoadedObject,
  openapi: ApiDocument["openapi"],
  { library, report, allowFiles, dialect, environment, memory }: ReadApiOptions,
): Promise<ApiDocument> {
  // A large document is read on demand, unless it has to be searched for files to load.
  const isSelfContained = isLong(file) && refersToItself(root);
  const following = { library, report, allowFiles, names: createNames() };
  const within = isSelfContained
    ? isSkimmed(root)
      ? followOnDemand(following)
      : followWithin(root, following)
    : undefined;
  const { checkReferenceKinds, validateOpenapi } = await import("../openapi/validate.ts");
  const kind = openapi === undefined ? "extension" : "root";
  const references =
    within ??
    (await followReferences(root, following, (each, targetOf) =>
      checkReferenceKinds({ root, kind, references: each, targetOf, rootOf: library.rootOf }, report),
    ));
  const found = readExtensions(root, openapi === undefined, references, report);
  const written = openapi === undefined ? wrapBareStream(root, references, report) : found.streaming;
  const reading = { components: dialect.components, report, memory: memory?.results };
  const files = { ...reading, readFile: library.readText, findFiles: library.findFiles, allowFiles };
  const variables = { components: dialect.components, environment: allowFiles ? environment : undefined };
  const expanded = written && withTemplates(written, documentSchemas.streaming, { dialect, report });
  const built = expanded && withBuildVariables(expanded, documentSchemas.streaming, variables);
  const streaming = built && (await withSchemaFiles(built, files));
  const gateway = found.gateway && withBuildVariables(found.gateway, documentSchemas.apiGateway, variables);
  const api: ApiDocument = {
    file,
    root,
    references,
    ...readId(file.path, root, found),
    ...(openapi === undefined ? {} : { openapi }),
    ...(streaming === undefined ? {} : { streaming }),
    ...(gateway === undefined ? {} : { gateway, gatewayFields: readGatewayExtension(gateway, reading) }),
    streams: streaming === undefined ? [] : readStreams(streaming, reading),
  };
  if (openapi !== undefined) {
    const document = { root, version: openapi, references, isSelfContained };
    await validateOpenapi(document, report, memory?.openapi);
  }
  return api;
}

function readId(path: string, root: MapNode, { gateway }: Extensions): { id: string; idSpan: Span } {
  const id = findNode(gateway, "info", "id");
  if (id?.kind === "scalar" && typeof id.value === "string" && id.value.trim() !== "") {
    return { id: id.value, idSpan: id.span };
  }
  const start = beginningOf(root);
  return { id: stemOf(path), idSpan: { ...start, end: start.start } };
}

/** Returns the span of the first key, which stands for the whole document in reports. */
function beginningOf(root: MapNode): Span {
  const { source, start } = root.span;
  return root.entries[0]?.keySpan ?? spanOf(source, start, start);
}

/** The extensions of a document. Broken parts have been reported and are left out. */
interface Extensions {
  readonly streaming?: MapNode;
  readonly gateway?: MapNode;
}

type ExtensionName = keyof typeof extensionAliases;

/**
 * Finds the extensions of a document and reports names that are similar to an extension. A bare document needs none.
 */
function readExtensions(root: MapNode, isBare: boolean, references: References, report: Report): Extensions {
  const expander = createExpander(references, report);
  const streaming = findExtension(root, "x-gw-streaming", report);
  const gateway = findExtension(root, "x-gw-api-gateway", report);
  reportUnknown(root, isBare || streaming !== undefined || gateway !== undefined, report);
  const streamingNode = streaming && expandStreams(streaming, expander, references, report);
  const gatewayNode = gateway && requireMap(gateway, expander.expand(gateway.value), report);
  return {
    ...(streamingNode === undefined ? {} : { streaming: streamingNode }),
    ...(gatewayNode === undefined ? {} : { gateway: gatewayNode }),
  };
}

/** Wraps the one stream of a bare document as the equivalent value of `x-gw-streaming`. */
function wrapBareStream(root: MapNode, references: References, report: Report): MapNode | undefined {
  // A stream may have unit tests next to it, which `sluice test` reads.
  const misspelt = findMisspeltTests(root, "stream", report);
  const entries = root.entries.filter(
    (entry) => entry.key !== "tests" && entry !== misspelt && !isExtension(entry.key),
  );
  const stream = createExpander(references, report).expand({ ...root, entries });
  if (stream === undefined) return undefined;
  const start = { source: root.span.source, start: root.span.start, end: root.span.start };
  const inner: MapNode = {
    kind: "map",
    entries: [{ key: "stream", keySpan: start, value: stream }],
    span: root.span,
  };
  return { kind: "map", entries: [{ key: "streams", keySpan: start, value: inner }], span: root.span };
}

/** Finds and reports a key that is similar to that of unit tests and is no field of a stream. */
export function findMisspeltTests(root: MapNode, owner: string, report: Report): MapEntry | undefined {
  const known = ["tests", ...Object.keys(documentSchemas.stream.properties ?? {})];
  const taken = new Set(root.entries.map(({ key }) => key));
  for (const entry of root.entries) {
    const meant = known.includes(entry.key) ? undefined : nearest(entry.key, known, taken);
    if (meant?.closest !== "tests") continue;
    report("GW4010", entry.keySpan, { owner, field: entry.key, ...meant });
    return entry;
  }
  return undefined;
}

function findExtension(root: MapNode, canonical: ExtensionName, report: Report): MapEntry | undefined {
  const name = extensionAliases[canonical];
  const own = findEntry(root, canonical);
  const alias = findEntry(root, name);
  if (alias === undefined) return own;
  if (own === undefined) {
    report("GW1047", alias.keySpan, { name, canonical });
    return alias;
  }
  const [first, second] = own.keySpan.start < alias.keySpan.start ? [own, alias] : [alias, own];
  const related = { span: first.keySpan, message: "The other spelling is here." };
  report("GW1048", second.keySpan, { name, canonical }, related);
  return own;
}

/** Expands each stream separately, so that a broken reference in one does not hide the others. */
function expandStreams(
  entry: MapEntry,
  expander: Expander,
  references: References,
  report: Report,
): MapNode | undefined {
  const value = references.resolve(entry.value);
  const streams = findEntry(value, "streams");
  const list = streams && references.resolve(streams.value);
  const isPlain = value?.kind === "map" && findReference(entry.value) === undefined;
  if (
    !isPlain ||
    streams === undefined ||
    list?.kind !== "map" ||
    findReference(streams.value) !== undefined
  ) {
    return requireMap(entry, expander.expand(entry.value), report);
  }
  const entries = list.entries.flatMap((stream) => {
    const expanded = expander.expand(stream.value);
    return expanded === undefined ? [] : [{ ...stream, value: expanded }];
  });
  const whole: DocumentNode = { ...list, entries };
  return {
    ...value,
    entries: value.entries.flatMap((other) => {
      if (other === streams) return [{ ...streams, value: whole }];
      const expanded = expander.expand(other.value);
      return expanded === undefined ? [] : [{ ...other, value: expanded }];
    }),
  };
}

function requireMap(entry: MapEntry, value: DocumentNode | undefined, report: Report): MapNode | undefined {
  if (value === undefined || value.kind === "map") return value;
  report("GW1051", value.span, { name: entry.key, actual: describeNode(value) });
  return undefined;
}

/**
 * Reports keys that begin like the extensions. A misspelt extension is an error: the settings in it, such as
 * authentication, would silently be missing. Any other such key only has no effect.
 */
function reportUnknown(root: MapNode, isExtended: boolean, report: Report): void {
  const known = Object.entries(extensionAliases).flat();
  const taken = new Set(root.entries.map(({ key }) => key));
  const unknown = root.entries.filter(({ key }) => isExtension(key, taken) && !known.includes(key));
  for (const { key: name, keySpan } of unknown) {
    const meant = withoutPrefix(name);
    const near =
      meant === undefined ? nearest(name, known, taken) : { closest: meant, respelling: "unsure" as const };
    const details = { name, ...near };
    if (!isExtended) report("GW1049", keySpan, details);
    else if (details.closest === undefined) report("GW1050", keySpan, { name });
    else report("GW1055", keySpan, details);
  }
  const version = findEntry(root, "openapi");
  // Fields of the extensions at the wrong place are reported there.
  const isDisplaced = root.entries.some(({ key }) => ["server", "streams", "upstream"].includes(key));
  if (isExtended || unknown.length > 0 || version === undefined || isDisplaced) return;
  report("GW1049", version.keySpan, { name: version.key, closest: undefined });
}

/** Whether a key begins like an extension, or resembles an extension that the document does not have otherwise. */
function isExtension(key: string, taken: ReadonlySet<string> = new Set()): boolean {
  if (key.startsWith("x-gw-") || key.startsWith("x-tyk-")) return true;
  const meant = withoutPrefix(key);
  return meant !== undefined && !taken.has(meant) && !taken.has(extensionAliases[meant]);
}

/** Returns `x-gw-streaming` for `x-streaming`, `x-gateway-streaming` and `gw-streaming`. */
function withoutPrefix(key: string): keyof typeof extensionAliases | undefined {
  const [, name] =
    /^(?:x[-_]?)?(?:(?:gw|tyk|gateway)[-_]?)?(streaming|api-?gateway)$/.exec(key.toLowerCase()) ?? [];
  if (name === undefined || Object.entries(extensionAliases).flat().includes(key)) return undefined;
  return name === "streaming" ? "x-gw-streaming" : "x-gw-api-gateway";
}
