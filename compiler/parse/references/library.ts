// The documents read so far, each once, however many refer to it.

import type { SourceFile, Span } from "../../source/source.ts";
import type { LoadedDocument } from "../../trees/api.ts";
import type { DocumentNode } from "../../trees/document.ts";
import type { DocumentMemory } from "../document/document-memory.ts";
import { findMatches } from "../document/glob.ts";
import { parseDocument } from "../document/parse-document.ts";
import { type ReadOptions, readSourceFile } from "../document/read-file.ts";
import { ignoreKey, takeIgnores } from "../suppressions/ignore-entries.ts";

/** All documents of a compilation by path. */
export interface Library {
  /**
   * The document at `path`, read when first asked for; `undefined` when it cannot be read, which is
   * reported at `named` every time, or was no YAML or JSON, which is reported once.
   */
  load(path: string, named?: Span): Promise<LoadedDocument | undefined>;
  /** The file at `path`, which is not a document; `undefined` when it cannot be read, which is reported at `named`. */
  readText(path: string, named: Span): Promise<SourceFile | undefined>;
  /** The files that match a pattern such as `schemas/*.proto`. */
  findFiles(pattern: string): Promise<readonly string[]>;
  /** The document at `path`, if it was loaded. */
  find(path: string): LoadedDocument | undefined;
  /** The root of a file that was loaded. */
  rootOf(file: SourceFile): DocumentNode | undefined;
  /** What was loaded so far, in the order of loading. */
  documents(): readonly LoadedDocument[];
}

/** A library with nothing in it. */
export function createLibrary(
  options: ReadOptions & { readonly memory?: DocumentMemory | undefined },
): Library {
  const loaded = new Map<string, LoadedDocument | "broken">();
  const find = (path: string) => {
    const known = loaded.get(path);
    return known === "broken" ? undefined : known;
  };
  return {
    async load(path, named) {
      const known = loaded.get(path);
      if (known !== undefined) return known === "broken" ? undefined : known;
      const { report, memory } = options;
      const read = await readSourceFile(path, { ...options, knownText: memory?.textOf }, named);
      if (read === undefined) return undefined;
      // Few documents suppress anything; the others are not walked, and their trees are kept.
      const ignores = read.text.includes(ignoreKey);
      const { file, root } =
        ignores || memory === undefined
          ? { file: read, root: parseDocument(read, report) }
          : memory.parse(read, report);
      const document = root && (ignores ? { file, ...takeIgnores(root) } : { file, root, ignores: [] });
      loaded.set(path, document ?? "broken");
      return document;
    },
    readText: (path, named) => readSourceFile(path, options, named),
    findFiles: (pattern) => findMatches(pattern, options.fileSystem),
    find,
    rootOf: (file) => find(file.path)?.root,
    documents: () => [...loaded.values()].filter((known) => known !== "broken"),
  };
}
