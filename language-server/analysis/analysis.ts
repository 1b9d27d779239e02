// One check of a set or a document: what is wrong with it, and all that capabilities read of it.

import type { CheckedSet } from "../../compiler/check/checked-set.ts";
import type { ObservedScript } from "../../compiler/check/observer.ts";
import { checkDocuments } from "../../compiler/compile.ts";
import type { Leveled } from "../../compiler/diagnostics/levels.ts";
import type { SetModel } from "../../compiler/model/set.ts";
import type { CheckMemory } from "../../compiler/parse/check-memory.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import type { SourceFile } from "../../compiler/source/source.ts";
import type { LoadedDocument } from "../../compiler/trees/api.ts";
import { coreDialect, type Dialect } from "../../compiler/trees/dialect.ts";
import { absolutePath } from "../workspace/paths.ts";

/** What is known of a set, or of a document that is in none. */
export interface Analysis extends Leveled {
  /** What the documents mean; absent where the file that was named could not be read. */
  readonly set?: SetModel;
  readonly checked?: CheckedSet;
  /** Every script that messages come to. */
  readonly scripts: readonly ObservedScript[];
  /** The documents by absolute path, those included that are only referred to. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** What is known of a file that holds unit tests and nothing else. */
  readonly tests?: TestFile;
}

/** A file of unit tests. */
export interface TestFile extends Pick<LoadedDocument, "file" | "root"> {
  /** What its documents may use. */
  readonly dialect: Dialect;
  /** The absolute path of the document that they are about, where they name none. */
  readonly target: string;
  /** What is known of that document. */
  readonly analysis: Analysis;
}

/** The document at an absolute path: one of the set, or the file of unit tests. */
export function documentAt(
  { set, tests }: Analysis,
  path: string,
): Pick<LoadedDocument, "file" | "root"> | undefined {
  const documents = [...(set?.documents ?? []), ...(tests === undefined ? [] : [tests])];
  return documents.find(({ file }) => absolutePath(file.path) === path);
}

/** What documents may use. */
export function dialectOf(analysis: Analysis | undefined): Dialect {
  return analysis?.set?.dialect ?? analysis?.tests?.dialect ?? coreDialect;
}

/** Checks what `path` names: a `gateway.yaml`, an API, or a bare stream. `memory`: of earlier checks of it. */
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
