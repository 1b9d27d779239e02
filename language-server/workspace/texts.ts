// The texts that editors have open, over the file system: what is typed counts, saved or not.

import type { TextDocument } from "vscode-languageserver-textdocument";
import { type FileSystem, nodeFileSystem } from "../../compiler/parse/document/file-system.ts";
import { absolutePath, pathOfUri, uriOfPath } from "./paths.ts";

/** Open texts by path. */
export interface OpenTexts {
  find(path: string): TextDocument | undefined;
  all(): readonly TextDocument[];
  /** The address an editor uses for a file, which may be spelt in another way than ours. */
  uriOf(path: string): string;
}

/** Open texts as a manager of documents has them. */
export function createOpenTexts(all: () => readonly TextDocument[]): OpenTexts {
  const find = (path: string) => all().find(({ uri }) => pathOfUri(uri) === path);
  return { find, all, uriOf: (path) => find(path)?.uri ?? uriOfPath(path) };
}

/**
 * The file system with open texts in it; `read` gets to know every path that was asked for. One document may have another
 * text than the open one, `instead`.
 */
export function overlay(
  texts: OpenTexts,
  read: (path: string) => void,
  instead?: { readonly path: string; readonly text: string },
): FileSystem {
  const encoder = new TextEncoder();
  const byPath = new Map(texts.all().map((text) => [pathOfUri(text.uri), text]));
  return {
    async readFile(path, limit) {
      const absolute = absolutePath(path);
      read(absolute);
      const text = absolute === instead?.path ? instead.text : byPath.get(absolute)?.getText();
      return text === undefined ? nodeFileSystem.readFile(path, limit) : encoder.encode(text);
    },
    list: (folder) => nodeFileSystem.list(folder),
  };
}
