// Reads the APIs of a gateway that the command line names: one `gateway.yaml`, or API documents that form a set with
// default settings.

import { createCatalogue, documentSchemas } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { createSourceFile, locate, type Span, wholeSpan } from "../../source/source.ts";
import type { ApiDocument, ApiSet, LoadedDocument } from "../../trees/api.ts";
import { type ComponentTemplate, coreDialect, type Dialect, type NamedPackage } from "../../trees/dialect.ts";
import { type DocumentNode, findNode, type MapNode } from "../../trees/document.ts";
import type { CheckMemory } from "../check-memory.ts";
import { createLibrary, type Library } from "../references/library.ts";
import { type BuildEnvironment, withBuildVariables } from "../streams/build-variables.ts";
import { withTemplates } from "../streams/component-templates.ts";
import { readSettings } from "../streams/read-settings.ts";
import { withSchemaFiles } from "../streams/schema-files.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { findMatches, isPattern } from "./glob.ts";
import { maximumBytes } from "./limits.ts";
import { nameOf, resolvePath, shortenPath, testedFile } from "./paths.ts";
import { isApi, isSet, readApi } from "./read-api.ts";

/**
 * Loads the packages that the settings at `settings` name. Reports packages that cannot be loaded and leaves them out.
 */
export type LoadDialect = (
  named: readonly NamedPackage[],
  settings: string,
  report: Report,
) => Promise<Dialect>;

/** Creates templates from the files that a set names. Reports files with errors and leaves them out. */
export type ReadTemplates = (
  files: readonly LoadedDocument[],
  dialect: Dialect,
  report: Report,
) => readonly ComponentTemplate[];

/** Options for reading documents. */
export interface ReadSetOptions {
  /** The machine's files by default. */
  readonly fileSystem?: FileSystem;
  /** The size of the largest file that is read, in bytes; 16 MB by default. */
  readonly maximumBytes?: number;
  /** The folder that relative paths of the file system start at; the process's working directory by default. */
  readonly workingDirectory?: string;
  /** False for documents that came over the network: their references may not read files. */
  readonly allowFileReferences?: boolean;
  /** The build environment for the fields that decide what is built. Without it these fields accept no variables. */
  readonly environment?: BuildEnvironment;
  /** Loads the packages that `components` of a `gateway.yaml` names. Without it their components are unknown. */
  readonly loadDialect?: LoadDialect;
  /** Reads the files that `templates` of a `gateway.yaml` names. Without it their templates are unknown. */
  readonly readTemplates?: ReadTemplates;
  /** Documents that replace those that a `gateway.yaml` lists. */
  readonly apis?: readonly string[];
  /** Results of earlier checks, for documents that are checked while they are edited. */
  readonly memory?: CheckMemory | undefined;
}

/** A path as the user wrote it, and the place where it is written. */
interface NamedPath {
  readonly path: string;
  readonly span?: Span;
}

/**
 * Reads the set that `paths` name: one `gateway.yaml`, or API documents as paths or patterns. Reports all errors to
 * `report` and returns everything that could be read; `undefined` if a `gateway.yaml` was named and cannot be read.
 */
export async function readApiSet(
  paths: readonly string[],
  options: ReadSetOptions,
  report: Report,
): Promise<ApiSet | undefined> {
  const fileSystem = options.fileSystem ?? nodeFileSystem;
  const library = createLibrary({
    fileSystem,
    report,
    limit: options.maximumBytes ?? maximumBytes,
    memory: options.memory?.documents,
  });
  const allowFiles = options.allowFileReferences ?? true;
  const { environment } = options;
  const reading = {
    fileSystem,
    library,
    report,
    allowFiles,
    dialect: coreDialect,
    environment,
    memory: options.memory,
  };
  const workingDirectory = options.workingDirectory ?? process.cwd();
  const named = paths.map((path) => ({ path: shortenPath(path, workingDirectory) }));
  const only = named.length === 1 && !isPattern(named[0]?.path ?? "") ? named[0] : undefined;
  if (only === undefined) return withDocuments(await readApis(named, reading), reading);
  const loaded = await library.load(only.path);
  if (loaded === undefined) return undefined;
  const { file } = loaded;
  if (loaded.root.kind !== "map" || !isSettings(only.path, loaded.root)) {
    return withDocuments(await readApis(named, reading), reading);
  }
  const loadedDialect = await loadDialect(loaded.root, only.path, options.loadDialect, report);
  const { readTemplates = () => [] } = options;
  const templates = await loadFiles("templates", only.path, loaded.root, reading);
  const dialect = withTemplateFiles(loadedDialect, templates, readTemplates, report);
  const { components } = dialect;
  const files = { readFile: library.readText, findFiles: library.findFiles, report, allowFiles, components };
  const built = withBuildVariables(loaded.root, documentSchemas.gateway, { components, environment });
  const root = await withSchemaFiles(
    withTemplates(built, documentSchemas.gateway, { dialect, report }),
    files,
  );
  const settingsFields = readSettings(root, { components, report });
  const given = options.apis?.map((path) => ({ path: shortenPath(path, workingDirectory) }));
  if (given === undefined) reportNoDocuments(root, report);
  const apis = await readApis(given ?? listPaths("apis", only.path, root), { ...reading, dialect });
  return { settings: root, settingsFile: file, settingsFields, ...withDocuments(apis, { library, dialect }) };
}

/** Returns the dialect of a set. Packages that cannot be loaded have been reported. */
async function loadDialect(
  settings: MapNode,
  path: string,
  load: LoadDialect | undefined,
  report: Report,
): Promise<Dialect> {
  const named = findNode(settings, "components");
  const items: readonly DocumentNode[] = named?.kind === "list" ? named.items : [];
  const packages = items.flatMap((item): readonly NamedPackage[] =>
    item.kind === "scalar" && typeof item.value === "string" && item.value !== ""
      ? [{ name: item.value, span: item.span }]
      : [],
  );
  return packages.length === 0 || load === undefined ? coreDialect : load(packages, path, report);
}

/** Adds the templates of the files to the dialect. If a file could not be read, unknown names may be its templates. */
function withTemplateFiles(
  dialect: Dialect,
  files: readonly (LoadedDocument | undefined)[],
  readTemplates: ReadTemplates,
  report: Report,
): Dialect {
  if (files.length === 0) return dialect;
  const loaded = files.filter((file) => file !== undefined);
  const templates = readTemplates(loaded, dialect, report);
  const { components } = dialect;
  const isPartial = components.isPartial || templates.length < files.length;
  return {
    ...dialect,
    templates,
    components: createCatalogue(components.components, isPartial, templates),
  };
}

/** Returns the documents that a list of paths names, each once. Files that cannot be read have been reported. */
async function loadFiles(
  key: "templates",
  from: string,
  root: MapNode,
  reading: Reading,
): Promise<readonly (LoadedDocument | undefined)[]> {
  const named = await expandPatterns(listPaths(key, from, root), reading);
  return Promise.all(named.map(({ path, span }) => reading.library.load(path, span)));
}

// Called after everything was read: only then does the library contain every file.
function withDocuments(
  apis: readonly ApiDocument[],
  { library, dialect }: Pick<Reading, "library" | "dialect">,
): ApiSet {
  return { apis, documents: library.documents(), dialect };
}

interface Reading {
  readonly fileSystem: FileSystem;
  readonly library: Library;
  readonly report: Report;
  readonly allowFiles: boolean;
  readonly dialect: Dialect;
  readonly environment: BuildEnvironment | undefined;
  readonly memory: CheckMemory | undefined;
}

function isSettings(path: string, root: MapNode): boolean {
  return isSet(root) || (/^gateway\.(?:ya?ml|json)$/i.test(nameOf(path)) && !isApi(root));
}

/**
 * Reports a set that names no documents. A set of components serves nothing, and an unknown key, which is reported, may
 * be meant to name them.
 */
function reportNoDocuments({ entries }: MapNode, report: Report): void {
  const known = documentSchemas.gateway.properties ?? {};
  const isMeant = (key: string) =>
    ["apis", "components", "templates"].includes(key) || !Object.hasOwn(known, key);
  const [first] = entries;
  if (first === undefined || entries.some(({ key }) => isMeant(key))) return;
  report("GW1022", first.keySpan, {});
}

/**
 * Returns the paths of a list, relative to their file. Accepts a single path instead of a list, which the schema
 * reports.
 */
function listPaths(key: "apis" | "templates", from: string, root: MapNode): readonly NamedPath[] {
  const list = findNode(root, key);
  const items: readonly DocumentNode[] =
    list?.kind === "list" ? list.items : list === undefined ? [] : [list];
  return items.flatMap((item) =>
    item.kind === "scalar" && typeof item.value === "string" && item.value !== ""
      ? [{ path: resolvePath(from, item.value), span: item.span }]
      : [],
  );
}

async function readApis(named: readonly NamedPath[], reading: Reading): Promise<readonly ApiDocument[]> {
  const apis: ApiDocument[] = [];
  for (const { path, span } of await expandPatterns(named, reading)) {
    const api = await readApi(path, reading, span);
    if (api !== undefined) apis.push(api);
  }
  reportDuplicateIds(apis, reading.report);
  return apis;
}

/** Replaces patterns by the files that match them. A file that is named twice is read once. */
async function expandPatterns(named: readonly NamedPath[], reading: Reading): Promise<readonly NamedPath[]> {
  const found = new Map<string, NamedPath>();
  const written = new Map<string, Span>();
  for (const one of named) {
    const matches = isPattern(one.path) ? await documentsAt(one, reading) : [one.path];
    if (matches.length === 0) {
      const span = one.span ?? wholeSpan(createSourceFile(one.path, ""));
      reading.report("GW1008", span, { pattern: one.path });
    }
    for (const path of matches) {
      if (!found.has(path)) found.set(path, { ...one, path });
      // A pattern may match a file that is also listed by name.
      if (one.span === undefined || isPattern(one.path)) continue;
      const other = written.get(path);
      if (other === undefined) written.set(path, one.span);
      else reading.report("GW1009", one.span, { path }, { span: other, message: "The other one is here." });
    }
  }
  return [...found.values()];
}

/** Returns the matching files, without the set that contains the pattern and without unit tests of other matches. */
async function documentsAt({ path, span }: NamedPath, { fileSystem }: Reading): Promise<readonly string[]> {
  const matches = await findMatches(path, fileSystem);
  const all = new Set(matches);
  const isTest = (match: string) => testedFile(match) !== match && all.has(testedFile(match));
  const set = span && locate(span).file.path;
  return matches.filter((match) => match !== set && !isTest(match));
}

/** Reports each document that has the same id as an earlier one. */
export function reportDuplicateIds(apis: readonly ApiDocument[], report: Report): void {
  const first = new Map<string, ApiDocument>();
  for (const api of apis) {
    const other = first.get(api.id);
    if (other === undefined) first.set(api.id, api);
    else
      report("GW1052", api.idSpan, { id: api.id }, { span: other.idSpan, message: "The other one is here." });
  }
}
