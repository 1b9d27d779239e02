// Compiles the text of an API that came over the network. Returns its name, its listen path, its diagnostics as data
// with their places in the text, and its module. Reads no files and sends no requests.

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

/** A text with a file name. */
export interface NamedText {
  /** A file name such as `orders.json`. Its ending selects the format, and it is the default of the API's id. */
  readonly path: string;
  readonly text: string;
}

/** The `gateway.yaml` of a set, which its owner wrote. */
export interface SettingsText extends NamedText {
  /** The path of the file, for finding the packages that it names; by default it is in the working directory. */
  readonly location?: string;
}

export interface DefinitionOptions {
  /** The `gateway.yaml` of the set. The documents that it lists are ignored. */
  readonly settings?: SettingsText | undefined;
  /** The other APIs of the organisation. */
  readonly present?: PresentDocuments;
  /** The owner of the definition. Without it, the definition may read everything that it names. */
  readonly tenant?: Tenant;
  /** The places of other organisations, which are never reported. */
  readonly taken?: TakenPlaces;
  /** The maximum size in bytes. */
  readonly maximumBytes?: number | undefined;
}

/** The properties of the API in a definition. */
export interface DefinitionFacts {
  /** `x-gw-api-gateway.info.id`, if it is written. */
  readonly id?: string;
  /** `x-gw-api-gateway.info.name`, otherwise the title. */
  readonly name: string;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  readonly isServed: boolean;
  /** Whether it is more than a description: it has streams, or a gateway part. */
  readonly isExtended: boolean;
  readonly streams: readonly string[];
}

/** A problem in a definition. Lines and columns count from 1. */
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
  /** Absent if the text cannot be read as a document. */
  readonly facts?: DefinitionFacts;
  readonly diagnostics: readonly DefinitionDiagnostic[];
  /** Whether it would be found at a place where another organisation's API is. */
  readonly isPlaceTaken: boolean;
  /** Whether there are errors. */
  readonly isRefused: boolean;
  /** Absent if there are errors, and for an API that is switched off. */
  readonly unit?: DefinitionUnit;
  /** Its routes and who may call them; present with `unit`. */
  readonly routes?: readonly CalledRoute[];
}

/** Reads a definition to pass as `present` when others are compiled. Does not report its problems. */
export function readDefinition(
  definition: NamedText,
  { settings, maximumBytes }: Pick<DefinitionOptions, "settings" | "maximumBytes"> = {},
): Promise<PresentDocuments> {
  const { path, text } = apart(definition, settings);
  return readPresent([path], readingWith(settings, { [path]: text }, maximumBytes));
}

/** Returns the definition under a name other than that of the settings, which only their owner writes. */
function apart({ path, text }: NamedText, settings: NamedText | undefined): NamedText {
  return { path: path === settings?.path ? `definition/${path}` : path, text };
}

/** Compiles a definition. The same input always results in the same module. */
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
    diagnostics: diagnostics.map((each) => toDefinitionDiagnostic(each, path, document)),
    isRefused: counts.error > 0,
    ...(unit && { unit }),
    ...(routes && { routes }),
  };
}

/** The name of a stream and the graph of its components. */
export interface DrawnStream {
  readonly stream: string;
  readonly topology: Topology;
}

/**
 * Returns the streams of a definition as graphs, in the order written. Leaves out parts that cannot be read if the
 * definition has errors.
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
 * Describes the client side of a definition as an AsyncAPI 3.1 document in the form of data; `undefined` if the
 * definition has errors, also in relation to the others. `servers`: addresses of the gateway for clients, instead of
 * those that the definition names.
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

/** The result of compiling the process part of the gateways. */
export interface ProcessResult {
  readonly diagnostics: readonly DefinitionDiagnostic[];
  readonly isRefused: boolean;
  /** Absent if there are errors. */
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
    diagnostics: diagnostics.map((each) => toDefinitionDiagnostic(each, settings?.path ?? "", undefined)),
    isRefused: counts.error > 0,
    ...(unit && { process: unit }),
  };
}

/**
 * Returns options for reading texts with the settings. From this machine only the packages in the settings are read.
 */
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
  const { gateway, streaming, streams, name, writtenId, description, listenPath, isServed } = document;
  const id = writtenId?.trim();
  return {
    ...(id !== undefined && id !== "" && { id }),
    name: name ?? findText(description.title) ?? "",
    listenPath,
    isServed,
    isExtended: streaming !== undefined || gateway !== undefined,
    streams: streams.map(({ name }) => name),
  };
}

/** Converts a diagnostic. One in another file (the settings, another API) is placed at the whole definition. */
function toDefinitionDiagnostic(
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
