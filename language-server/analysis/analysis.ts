// Checks a set or a document, and returns the diagnostics and all data that capabilities need.

import type { CheckedSet } from "../../compiler/check/checked-set.ts";
import type { ObservedScript } from "../../compiler/check/observer.ts";
import { checkDocuments } from "../../compiler/compile.ts";
import { applyLevels, type Leveled } from "../../compiler/diagnostics/levels.ts";
import { hideSecretsIn } from "../../compiler/diagnostics/secrets/without-secrets.ts";
import type { SetModel } from "../../compiler/model/set.ts";
import type { CheckMemory } from "../../compiler/parse/check-memory.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import type { SourceFile } from "../../compiler/source/source.ts";
import type { LoadedDocument } from "../../compiler/trees/api.ts";
import { coreDialect, type Dialect } from "../../compiler/trees/dialect.ts";
import { absolutePath } from "../workspace/paths.ts";

/** The result of checking a set, or a document that belongs to no set. */
export interface Analysis extends Leveled {
  /** The model of the documents; absent if the file could not be read. */
  readonly set?: SetModel;
  readonly checked?: CheckedSet;
  /** All scripts that process messages. */
  readonly scripts: readonly ObservedScript[];
  /** The documents by absolute path, including those that are only referenced. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** The data of a file that contains only unit tests. */
  readonly tests?: TestFile;
}

/** The analysis of a document in which nothing is written yet. */
export const unwritten: Analysis = { ...applyLevels([], new Map(), []), scripts: [], files: new Map() };

/** A file of unit tests. */
export interface TestFile extends Pick<LoadedDocument, "file" | "root"> {
  /** The components and functions that the tested documents may use. */
  readonly dialect: Dialect;
  /** The absolute path of the tested document, for tests that name none. */
  readonly target: string;
  /** The analysis of that document. */
  readonly analysis: Analysis;
}

/** Returns the document at an absolute path: a document of the set, or the file of unit tests. */
export function documentAt(
  { set, tests }: Analysis,
  path: string,
): Pick<LoadedDocument, "file" | "root"> | undefined {
  const documents = [...(set?.documents ?? []), ...(tests === undefined ? [] : [tests])];
  return documents.find(({ file }) => absolutePath(file.path) === path);
}

/** Removes the secrets of the documents from a text about them. Hovers and proposals are shown on shared screens. */
export function withoutSecrets({ checked, files }: Analysis, text: string): string {
  return hideSecretsIn(checked?.files ?? [...files.values()])(text);
}

/** Returns the components and functions that the documents may use. */
export function dialectOf(analysis: Analysis | undefined): Dialect {
  return analysis?.set?.dialect ?? analysis?.tests?.dialect ?? coreDialect;
}

/** Checks the file at `path`: a `gateway.yaml`, an API, or a bare stream. `memory`: results of earlier checks of it. */
export async function analyse(path: string, fileSystem: FileSystem, memory?: CheckMemory): Promise<Analysis> {
  const scripts: ObservedScript[] = [];
  let checked: CheckedSet | undefined;
  const observer = {
    script: (script: ObservedScript) => {
      scripts.push(script);
    },
    checked: (found: CheckedSet) => {
      checked = found;
    },
  };
  const { diagnostics, suppressed, counts } = await checkDocuments([path], {
    fileSystem,
    observer,
    ...(memory && { memory }),
  });
  const files = new Map<string, SourceFile>();
  for (const { file } of checked?.set.documents ?? []) files.set(absolutePath(file.path), file);
  for (const { span } of diagnostics) {
    const { file } = span.source;
    if (!files.has(absolutePath(file.path)) && file.text !== "") files.set(absolutePath(file.path), file);
  }
  return { diagnostics, suppressed, counts, scripts, files, ...(checked && { checked, set: checked.set }) };
}
