// The texts that editors have open, which take precedence over the file system, saved or not.

import { TextDocument, type TextDocumentContentChangeEvent } from "vscode-languageserver-textdocument";
import { type FileSystem, nodeFileSystem } from "../../compiler/parse/document/file-system.ts";
import { absolutePath, pathOfUri, uriOfPath } from "./paths.ts";

/** Open texts by path. */
export interface OpenTexts {
  find(path: string): TextDocument | undefined;
  all(): readonly TextDocument[];
  /** Returns the URI that the editor uses for a file, which may be written differently from ours. */
  uriOf(path: string): string;
}

/** The open texts, with the operations of an editor that opens, changes and closes them. */
export interface EditedTexts extends OpenTexts {
  open(document: TextDocument): void;
  /** Applies changes one after the other; returns false if the document is not open. */
  change(
    path: string,
    version: number | null | undefined,
    changes: readonly TextDocumentContentChangeEvent[],
  ): boolean;
  close(path: string): void;
}

/**
 * Returns an empty store of open texts. `toOwn`: converts the range of a change to UTF-16 code units of the text
 * before it, for editors with another encoding.
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
      // Some editors send no version, or null: each change still creates a new version.
      const next = version ?? document.version + 1;
      for (const change of changes) TextDocument.update(document, [toOwn(change, document)], next);
      return true;
    },
    close: (path) => byPath.delete(path),
  };
}

/**
 * Returns the file system with the open texts in it; calls `read` with every requested path. `instead`: another text
 * for one document, in place of the open one.
 */
export function overlay(
  texts: OpenTexts,
  read: (path: string) => void,
  instead?: { readonly path: string; readonly text: string },
): FileSystem {
  const encoder = new TextEncoder();
  const textOf = (path: string) => {
    const absolute = absolutePath(path);
    read(absolute);
    return absolute === instead?.path ? instead.text : texts.find(absolute)?.getText();
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
