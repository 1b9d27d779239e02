// One API document: a path in, its tree, id, extensions and streams out. Refuses what is not OpenAPI 3
// document and no bare stream.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { type Span, spanOf } from "../../source/source.ts";
import type { ApiDocument, LoadedDocument } from "../../trees/api.ts";
import type { Dialect } from "../../trees/dialect.ts";
import { describeNode, findEntry, findNode, type MapNode } from "../../trees/document.ts";
import type { CheckMemory } from "../check-memory.ts";
import { isSkimmed } from "../json/skim-json.ts";
import { readVersion } from "../openapi/version.ts";
import type { Library } from "../references/library.ts";
import { createNames } from "../references/names.ts";
import { followOnDemand, refersToItself } from "../references/on-demand.ts";
import { followReferences } from "../references/references.ts";
import { type BuildEnvironment, withBuildVariables } from "../streams/build-variables.ts";
import { withTemplates } from "../streams/component-templates.ts";
import { readGatewayExtension } from "../streams/read-settings.ts";
import { readStreams } from "../streams/read-streams.ts";
import { withSchemaFiles } from "../streams/schema-files.ts";
import { type Extensions, readExtensions, wrapBareStream } from "./extensions.ts";
import { stemOf } from "./paths.ts";

/** A document whose root is an object, as that of every API is. */
interface LoadedObject extends Pick<LoadedDocument, "file"> {
  readonly root: MapNode;
}

/** What reading an API needs. */
export interface ReadApiOptions {
  readonly library: Library;
  readonly report: Report;
  /** False for documents that came over the network: they may not read files. */
  readonly allowFiles: boolean;
  /** What the document may use. */
  readonly dialect: Dialect;
  readonly memory?: CheckMemory | undefined;
  /** The environment of the build; only documents that may read files read it. */
  readonly environment?: BuildEnvironment | undefined;
}

/** The document at `path`, named at `named`; `undefined` when it is not an API, which was reported. */
export async function readApi(
  path: string,
  options: ReadApiOptions,
  named?: Span,
): Promise<ApiDocument | undefined> {
  const loaded = await options.library.load(path, named);
  if (loaded === undefined) return undefined;
  const { file, root } = loaded;
  if (root.kind !== "map") {
    options.report("GW1054", root.span, { actual: describeNode(root) });
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

/** Whether a document says that it is an API, right or wrong. */
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
  // Of a large document only what is looked at is read, unless it has to be searched for files to load.
  const isSelfContained = isSkimmed(root) && refersToItself(root);
  const following = { library, report, allowFiles, names: createNames() };
  const references = isSelfContained ? followOnDemand(following) : await followReferences(root, following);
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
    const { validateOpenapi } = await import("../openapi/validate.ts");
    await validateOpenapi({ root, version: openapi, references, isSelfContained }, report, memory?.valid);
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

/** The first key, which stands for the whole document. */
function beginningOf(root: MapNode): Span {
  const { source, start } = root.span;
  return root.entries[0]?.keySpan ?? spanOf(source, start, start);
}
