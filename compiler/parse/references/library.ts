// The documents read so far. Each is read once, however many others refer to it.

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
   * Returns the document at `path`, which is read on first use; `undefined` if it cannot be read, which is reported at
   * `named` each time, or if it is not YAML or JSON, which is reported once.
   */
  load(path: string, named?: Span): Promise<LoadedDocument | undefined>;
  /** Returns a file that is not a document; `undefined` if it cannot be read, which is reported at `named`. */
  readText(path: string, named: Span): Promise<SourceFile | undefined>;
  /** Returns the files that match a pattern such as `schemas/*.proto`. */
  findFiles(pattern: string): Promise<readonly string[]>;
  /** Returns the document at `path` if it was loaded. */
  find(path: string): LoadedDocument | undefined;
  /** Returns the root of a file that was loaded. */
  rootOf(file: SourceFile): DocumentNode | undefined;
  /** Returns the documents loaded so far, in the order of loading. */
  documents(): readonly LoadedDocument[];
}

/** Returns an empty library. */
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
      // Few documents suppress diagnostics. The others are not searched, and their trees are kept.
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
