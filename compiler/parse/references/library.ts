// The documents read so far, each once, whoever refers to it.

import type { SourceFile, Span } from "../../source/source.ts";
import { parseDocument } from "../document/parse-document.ts";
import { type ReadOptions, readSourceFile } from "../document/read-file.ts";
import type { DocumentNode } from "../document/tree.ts";

/** A file and its tree. */
export interface LoadedDocument {
  readonly file: SourceFile;
  readonly root: DocumentNode;
}

/** All documents of a compilation by path. */
export interface Library {
  /**
   * The document at `path`, read when first asked for; `undefined` when it cannot be read, which is
   * reported at `named` every time, or was no YAML or JSON, which is reported once.
   */
  load(path: string, named?: Span): Promise<LoadedDocument | undefined>;
  /** The root of a file that was loaded. */
  rootOf(file: SourceFile): DocumentNode | undefined;
}

/** A library with nothing in it. */
export function createLibrary(options: ReadOptions): Library {
  const loaded = new Map<string, LoadedDocument | "broken">();
  return {
    async load(path, named) {
      const known = loaded.get(path);
      if (known !== undefined) return known === "broken" ? undefined : known;
      const file = await readSourceFile(path, options, named);
      if (file === undefined) return undefined;
      const root = parseDocument(file, options.report);
      loaded.set(path, root === undefined ? "broken" : { file, root });
      return root && { file, root };
    },
    rootOf(file) {
      const known = loaded.get(file.path);
      return known === "broken" ? undefined : known?.root;
    },
  };
}
