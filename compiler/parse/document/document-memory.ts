// Keeps parsed documents between checks while an editor changes them: only the smallest part of a tree that contains a
// change is parsed again. All other nodes stay the same objects, and their places follow the text.

import { carryRanges } from "../../diagnostics/secrets/ranges.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { createEditedPlaces, type FileHistory, findChange } from "../../source/edited-places.ts";
import { carryLines, createSourceFile, type EditedPlaces, type SourceFile } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { changeTree } from "./change-tree.ts";
import { parseDocument } from "./parse-document.ts";

/** A file and its tree. */
export interface ParsedDocument {
  /** The file that was passed in, or another one with the same text. */
  readonly file: SourceFile;
  /** `undefined` if the errors that were reported leave nothing to check. */
  readonly root: DocumentNode | undefined;
}

/** The trees of documents by path, kept between checks. */
export interface DocumentMemory {
  /** Returns the tree of a file, derived from the previous tree of the same path if possible. */
  parse(file: SourceFile, report: Report): ParsedDocument;
  /** Returns the last text of a path that was parsed without problems. */
  textOf(path: string): string | undefined;
}

/** The last version of a document that was parsed without problems. */
interface Known {
  readonly file: SourceFile;
  readonly root: DocumentNode;
  readonly history: FileHistory;
  readonly problems: Problems;
}

/** The destination of problems. Some parts of large documents are only read on demand, possibly by a later check. */
interface Problems {
  report: Report;
  isBroken: boolean;
}

/** The number of changes after which a document is parsed as a whole. */
const maximumChanges = 2000;

/** Returns an empty memory. */
export function createDocumentMemory(): DocumentMemory {
  const documents = new Map<string, Known>();
  return {
    textOf: (path) => documents.get(path)?.file.text,
    parse(file, report) {
      const known = documents.get(file.path);
      if (known !== undefined && !known.problems.isBroken) {
        known.problems.report = report;
        if (isSameText(known.file, file)) return known;
        const changed = changeKnown(known, file);
        if (changed !== undefined) {
          documents.set(file.path, changed);
          return changed;
        }
      }
      const { root, ...whole } = parseWhole(file, report);
      // A document with problems is not kept, because they have to be reported again. Its last version without problems
      // stays.
      if (root !== undefined && !whole.problems.isBroken) documents.set(file.path, { ...whole, root });
      return { file: whole.file, root };
    },
  };
}

function parseWhole(file: SourceFile, report: Report): Omit<Known, "root"> & ParsedDocument {
  const history: FileHistory = { newest: undefined, changes: [] };
  const followed = followedFile(file, createEditedPlaces(history, 0));
  history.newest = followed;
  const problems: Problems = { report, isBroken: false };
  const root = parseDocument(followed, (code, span, details, related) => {
    problems.isBroken = true;
    problems.report(code, span, details, related);
  });
  return { file: followed, root, history, problems };
}

function changeKnown(known: Known, file: SourceFile): Known | undefined {
  const { history } = known;
  if (file.isMarked !== known.file.isMarked || history.changes.length >= maximumChanges) return undefined;
  const version = createEditedPlaces(history, history.changes.length + 1);
  const followed = followedFile(file, version);
  const change = findChange(known.file.text, file.text);
  const slice = (start: number, end: number) => followed.text.slice(start, end);
  const changed = changeTree(known, { slice, version, change });
  if (changed === undefined) return undefined;
  carryRanges(known.file, followed, change);
  carryLines(known.file, followed, change);
  history.changes.push(changed.replaced);
  history.newest = followed;
  return { ...known, file: followed, root: changed.root };
}

function followedFile({ path, text, isMarked }: SourceFile, places: EditedPlaces): SourceFile {
  return createSourceFile(path, isMarked ? `\uFEFF${text}` : text, places);
}

function isSameText(one: SourceFile, other: SourceFile): boolean {
  return one.isMarked === other.isMarked && one.text === other.text;
}
