// The text of an API that came over the network in, and out: what it is called and where it is mounted, what is wrong with
// it as data, each at its place in that text, and its module. It reads no file and no other host.

import type { AsyncApiDocument } from "./asyncapi/document.ts";
import { isPlaceTaken, type TakenPlaces } from "./check/document/taken-places.ts";
import type { Tenant } from "./check/document/tenant.ts";
import { describeClients } from "./compile.ts";
import {
  checkApi,
  compileApi,
  compileProcess,
  type PresentDocuments,
  readPresent,
  type UnitOptions,
} from "./compile-units.ts";
import type { Diagnostic, Severity } from "./diagnostics/diagnostic.ts";
import type { ApiModel } from "./model/api.ts";
import { createMemoryFileSystem, nodeFileSystem } from "./parse/document/file-system.ts";
import type { CalledRoute } from "./plan/called-routes.ts";
import { listComponentRoutes } from "./plan/callers.ts";
import { locate } from "./source/source.ts";
import type { Topology } from "./topology/describe-topology.ts";
import type { ApiDocument } from "./trees/api.ts";
import { findText, pathAt } from "./trees/document.ts";

export type { AsyncApiDocument, CalledRoute, PresentDocuments, Tenant };

/** The module of an API. */
export type DefinitionUnit = NonNullable<Awaited<ReturnType<typeof compileApi>>["unit"]>;

/** A text, and the name of the file that it would be. */
export interface NamedText {
  /** `orders.json`: its ending says what it is read as, and without an id of its own it has the name of the file. */
  readonly path: string;
  readonly text: string;
}

/** The `gateway.yaml` of a set, which its owner wrote. */
export interface SettingsText extends NamedText {
  /** Where the file lies, to find the packages that it names; without it, in the working directory. */
  readonly location?: string;
}

export interface DefinitionOptions {
  /** The `gateway.yaml` of the set; the documents that it lists do not count. */
  readonly settings?: SettingsText | undefined;
  /** The other APIs of the organisation. */
  readonly present?: PresentDocuments;
  /** Whose the definition is; without it, it may read what it names. */
  readonly tenant?: Tenant;
  /** What other organisations have: it is never reported. */
  readonly taken?: TakenPlaces;
  /** Bytes. */
  readonly maximumBytes?: number | undefined;
}

/** What a definition says of its API. */
export interface DefinitionFacts {
  /** `x-gw-api-gateway.info.id`, where it is written. */
  readonly id?: string;
  /** `x-gw-api-gateway.info.name`, else the title. */
  readonly name: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  readonly isServed: boolean;
  /** Whether it is more than a description: streams, or a gateway part. */
  readonly isExtended: boolean;
  readonly streams: readonly string[];
}

/** Something that is wrong with a definition. Lines and columns count from 1. */
export interface DefinitionDiagnostic {
  readonly code: string;
  /** `x-gw-streaming.streams.intake.input.kafka.topics[0]`; empty for the whole. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  readonly hint?: string;
  readonly severity: Severity;
}

export interface DefinitionResult {
  /** Absent where the text cannot be read as a document. */
  readonly facts?: DefinitionFacts;
  readonly diagnostics: readonly DefinitionDiagnostic[];
  /** Whether it would be found where another organisation's API is. */
  readonly isPlaceTaken: boolean;
  /** Whether anything is an error. */
  readonly isRefused: boolean;
  /** Absent where anything is an error, and for an API that is switched off. */
  readonly unit?: DefinitionUnit;
  /** Its routes and who may call them; present with `unit`. */
  readonly routes?: readonly CalledRoute[];
}

/** Reads a definition to be `present` when others are compiled. What is wrong with it is not told. */
export function readDefinition(
  definition: NamedText,
  { settings, maximumBytes }: Pick<DefinitionOptions, "settings" | "maximumBytes"> = {},
): Promise<PresentDocuments> {
  const { path, text } = apart(definition, settings);
  return readPresent([path], readingWith(settings, { [path]: text }, maximumBytes));
}

/** The definition under a name that is not that of the settings, which only their owner writes. */
function apart({ path, text }: NamedText, settings: NamedText | undefined): NamedText {
  return { path: path === settings?.path ? `definition/${path}` : path, text };
}

/** Compiles a definition. Same input, same module. */
export async function compileDefinition(
  definition: NamedText,
  { settings, present = [], maximumBytes, tenant, taken }: DefinitionOptions = {},
): Promise<DefinitionResult> {
  const { path, text } = apart(definition, settings);
  const [document] = await readDefinition(definition, { settings, maximumBytes });
  const { diagnostics, counts, unit, routes } = await compileApi(path, {
    ...readingWith(settings, { [path]: text }, maximumBytes),
    present,
    ...(tenant && { tenant }),
  });
  return {
    ...(document && { facts: factsOf(document) }),
    isPlaceTaken: document !== undefined && taken !== undefined && isPlaceTaken(document, taken),
    diagnostics: diagnostics.map((each) => tell(each, path, document)),
    isRefused: counts.error > 0,
    ...(unit && { unit }),
    ...(routes && { routes }),
  };
}

/** A stream by its name, as the graph of its components. */
export interface DrawnStream {
  readonly stream: string;
  readonly topology: Topology;
}

/**
 * The streams of a definition as graphs, in the order they are written, also while something is wrong with it: what cannot
 * be read is left out.
 */
export async function drawDefinition(
  definition: NamedText,
  options: Pick<DefinitionOptions, "settings" | "maximumBytes"> = {},
): Promise<readonly DrawnStream[]> {
  const { describeTopology } = await import("./topology/describe-topology.ts");
  const documents = await readDefinition(definition, options);
  return documents.flatMap((api) => {
    const routes = listComponentRoutes(api);
    return api.streams.map((stream) => ({ stream: stream.name, topology: describeTopology(stream, routes) }));
  });
}

/**
 * What clients see of a definition that is right beside the others: an AsyncAPI 3.1 document as data; `undefined` where it
 * is not right. `servers`: addresses at which clients reach the gateway, in place of those that it names.
 */
export async function describeDefinition(
  definition: NamedText,
  { settings, present = [], maximumBytes, tenant }: DefinitionOptions,
  servers: readonly string[],
): Promise<AsyncApiDocument | undefined> {
  const { path, text } = apart(definition, settings);
  const { checked } = await checkApi(path, {
    ...readingWith(settings, { [path]: text }, maximumBytes),
    present,
    ...(tenant && { tenant }),
  });
  const api = checked?.set.apis.at(-1);
  return checked && api && describeClients(checked, api.id, { servers });
}

/** What came of compiling what belongs to the process of the gateways. */
export interface ProcessResult {
  readonly diagnostics: readonly DefinitionDiagnostic[];
  readonly isRefused: boolean;
  /** Absent where anything is an error. */
  readonly process?: { readonly code: string; readonly imports: readonly string[] };
}

/** Compiles the settings of the set. */
export async function compileProcessOf({
  settings,
  present = [],
  maximumBytes,
}: DefinitionOptions): Promise<ProcessResult> {
  const { diagnostics, counts, unit } = await compileProcess({
    ...readingWith(settings, {}, maximumBytes),
    present,
  });
  return {
    diagnostics: diagnostics.map((each) => tell(each, settings?.path ?? "", undefined)),
    isRefused: counts.error > 0,
    ...(unit && { process: unit }),
  };
}

/** How texts are read beside the settings. Of this machine, only the packages that the settings name are read. */
function readingWith(
  settings: SettingsText | undefined,
  files: Readonly<Record<string, string>>,
  maximumBytes: number | undefined,
): UnitOptions {
  const own = settings && { [settings.path]: settings.text };
  return {
    fileSystem: createMemoryFileSystem({ ...files, ...own }),
    allowFileReferences: false,
    ...(maximumBytes !== undefined && { maximumBytes }),
    ...(settings && { settings: settings.path, packages: { ...settings, fileSystem: nodeFileSystem } }),
  };
}

function factsOf(document: ApiModel): DefinitionFacts {
  const { gateway, streaming, streams, name, title, listenPath, isServed } = document;
  const id = findText(gateway, "info", "id")?.trim();
  return {
    ...(id !== undefined && id !== "" && { id }),
    name: name ?? title ?? "",
    listenPath,
    isServed,
    isExtended: streaming !== undefined || gateway !== undefined,
    streams: streams.map(({ name }) => name),
  };
}

/** What is said of another file (the settings, another API) stands for the whole. */
function tell(
  { code, message, hint, severity, span }: Diagnostic,
  own: string,
  document: ApiDocument | undefined,
): DefinitionDiagnostic {
  const { file, start, end } = locate(span);
  const isOwn = file.path === own;
  const path = isOwn && document ? pathAt(document.root, span.source.offsetInFile(span.start)) : "";
  const place = isOwn ? { start, end } : { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } };
  return {
    code,
    path,
    line: place.start.line,
    column: place.start.column,
    endLine: place.end.line,
    endColumn: place.end.column,
    message: isOwn ? message : `${file.path}: ${message}`,
    ...(hint !== undefined && { hint }),
    severity,
  };
}
