// Files that a document may name: those of the workspace, by the path from the document.

import { posix } from "node:path";
import { type CompletionItem, CompletionItemKind } from "vscode-languageserver";
import { isMappingName } from "../../analysis/analyse-mapping.ts";
import type { DocumentPlace } from "../../analysis/document-place.ts";
import { namesFiles } from "../../analysis/named-files.ts";
import { findFilesBelow } from "../../workspace/find-sets.ts";

/** More files than anyone looks through. */
const mostFiles = 500;

/** A place that takes the name of a file. */
export interface NamedFiles {
  /** The document that names it. */
  readonly from: string;
  /** The folder whose files are offered. */
  readonly folder: string;
  /** What is written of the name. */
  readonly written: string;
  readonly isWanted: (path: string) => boolean;
}

/** The items for the name of a file. Paths that begin with `./` so far go on so. */
export async function fileItems({ from, folder, written, isWanted }: NamedFiles): Promise<CompletionItem[]> {
  const found = await findFilesBelow(folder, (path) => path !== from && isWanted(path));
  return found.slice(0, mostFiles).map((path) => {
    const relative = posix.relative(posix.dirname(from), path);
    const label = written.startsWith("./") && !relative.startsWith("../") ? `./${relative}` : relative;
    return {
      label,
      kind: CompletionItemKind.File,
      insertText: /^[\w.][\w./-]*$/.test(label) ? label : JSON.stringify(label),
      // What lies near comes first.
      sortText: `${label.split("../").length}${label}`,
    };
  });
}

const isDocumentName = (path: string) => /\.(?:ya?ml|json)$/i.test(path);

/** What names of files a place of a document takes; `undefined` where it names none. */
export function filesNamedAt({ path, entry, schema }: DocumentPlace): NamedFiles["isWanted"] | undefined {
  if (entry?.key === "$ref" || path[0] === "apis" || entry?.key === "target_processors")
    return isDocumentName;
  if (entry?.key === "target_mapping") return isMappingName;
  return schema !== undefined && namesFiles(schema) ? () => true : undefined;
}
