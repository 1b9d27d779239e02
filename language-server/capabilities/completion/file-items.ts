// Completion of file names: the files of the workspace, relative to the document.

import { posix } from "node:path";
import { type CompletionItem, CompletionItemKind } from "vscode-languageserver";
import { testedFile } from "../../../compiler/parse/document/paths.ts";
import { isMappingName } from "../../analysis/analyse-mapping.ts";
import type { DocumentPlace } from "../../analysis/document-place.ts";
import { namesFiles } from "../../analysis/named-files.ts";
import { findFilesBelow, isSettingsName } from "../../workspace/find-sets.ts";

/** The most files that are offered; users do not look through longer lists. */
const mostFiles = 500;

/** A place that takes the name of a file. */
export interface NamedFiles {
  /** The document that contains the name. */
  readonly from: string;
  /** The folder whose files are offered. */
  readonly folder: string;
  /** The part of the name that is already written. */
  readonly written: string;
  readonly isWanted: (path: string) => boolean;
}

/** Returns the items for a file name. Keeps a leading `./` that is already written. */
export async function fileItems({ from, folder, written, isWanted }: NamedFiles): Promise<CompletionItem[]> {
  const found = await findFilesBelow(folder, (path) => path !== from && isWanted(path));
  return found.slice(0, mostFiles).map((path) => {
    const relative = posix.relative(posix.dirname(from), path);
    const label = written.startsWith("./") && !relative.startsWith("../") ? `./${relative}` : relative;
    return {
      label,
      kind: CompletionItemKind.File,
      insertText: /^[\w.][\w./-]*$/.test(label) ? label : JSON.stringify(label),
      // Sorts nearby files first.
      sortText: `${label.split("../").length}${label}`,
    };
  });
}

/** Whether a file may be an API or a stream: neither the settings of a set nor unit tests. */
function isDocumentName(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path) && !isSettingsName(path) && testedFile(path) === path;
}

/** Returns which files a place of a document may name; `undefined` if it takes no file name. */
export function filesNamedAt({ path, entry, schema }: DocumentPlace): NamedFiles["isWanted"] | undefined {
  if (path[0] === "apis" || entry?.key === "$ref" || entry?.key === "target_processors")
    return isDocumentName;
  if (entry?.key === "target_mapping") return isMappingName;
  return schema !== undefined && namesFiles(schema) ? () => true : undefined;
}
