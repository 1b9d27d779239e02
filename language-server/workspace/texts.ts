// The texts that editors have open, over the file system: what is typed counts, saved or not.

import { TextDocument, type TextDocumentContentChangeEvent } from "vscode-languageserver-textdocument";
import { type FileSystem, nodeFileSystem } from "../../compiler/parse/document/file-system.ts";
import { absolutePath, pathOfUri, uriOfPath } from "./paths.ts";

/** Open texts by path. */
export interface OpenTexts {
  find(path: string): TextDocument | undefined;
  all(): readonly TextDocument[];
  /** The address an editor uses for a file, which may be spelt in another way than ours. */
  uriOf(path: string): string;
}

/** Open texts as an editor opens, changes and closes them. */
export interface EditedTexts extends OpenTexts {
  open(document: TextDocument): void;
  /** Carries out changes one after the other; false where no such document is open. */
  change(
    path: string,
    version: number | null | undefined,
    changes: readonly TextDocumentContentChangeEvent[],
  ): boolean;
  close(path: string): void;
}

/**
 * Texts of which none is open yet. `toOwn` gives the range of a change in UTF-16 units of the text before it, for editors that
 * count in others.
 */
export function createOpenTexts(
  toOwn: (
    change: TextDocumentContentChangeEvent,
    document: TextDocument,
  ) => TextDocumentContentChangeEvent = (change) => change,
): EditedTexts {
  const byPath = new Map<string, TextDocument>();
  return {
    find: (path) => byPath.get(path),
    all: () => [...byPath.values()],
    uriOf: (path) => byPath.get(path)?.uri ?? uriOfPath(path),
    open: (document) => byPath.set(pathOfUri(document.uri), document),
    change(path, version, changes) {
      const document = byPath.get(path);
      if (document === undefined) return false;
      // Some editors send no version, or null: each change is a version all the same.
      const next = version ?? document.version + 1;
      for (const change of changes) TextDocument.update(document, [toOwn(change, document)], next);
      return true;
    },
    close: (path) => byPath.delete(path),
  };
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
  const textOf = (path: string) => {
    const absolute = absolutePath(path);
    read(absolute);
    return absolute === instead?.path ? instead.text : byPath.get(absolute)?.getText();
  };
  return {
    textOf,
    async readFile(path, limit) {
      const text = textOf(path);
      return text === undefined ? nodeFileSystem.readFile(path, limit) : encoder.encode(text);
    },
    list: (folder) => nodeFileSystem.list(folder),
  };
}
