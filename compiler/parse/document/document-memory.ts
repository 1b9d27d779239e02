// Documents that an editor changes, between checks: of a tree only the smallest part that a change lies in is parsed again.
// Everything else stays the same nodes, whose places follow the text.

import { carryRanges } from "../../diagnostics/secrets/ranges.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { createEditedPlaces, type FileHistory, findChange } from "../../source/edited-places.ts";
import { carryLines, createSourceFile, type EditedPlaces, type SourceFile } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { changeTree } from "./change-tree.ts";
import { parseDocument } from "./parse-document.ts";

/** A file and its tree. */
export interface ParsedDocument {
  /** The file that was given, or one with the same text. */
  readonly file: SourceFile;
  /** `undefined` when errors were reported that leave nothing to look at. */
  readonly root: DocumentNode | undefined;
}

/** Trees of documents by path, between checks. */
export interface DocumentMemory {
  /** The tree of a file, made of the tree that the path had before where that is possible. */
  parse(file: SourceFile, report: Report): ParsedDocument;
  /** The text of a path that was parsed last without problems. */
  textOf(path: string): string | undefined;
}

/** A document as it was parsed last, without problems. */
interface Known {
  readonly file: SourceFile;
  readonly root: DocumentNode;
  readonly history: FileHistory;
  readonly problems: Problems;
}

/** Where problems go: some parts of large documents are only read when they are looked at, maybe by a later check. */
interface Problems {
  report: Report;
  isBroken: boolean;
}

/** Changes after which a document is parsed as a whole. */
const maximumChanges = 2000;

/** A memory with nothing in it. */
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
      // A document that has problems is not kept: they would have to be reported again. The last one without stays.
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
  const changed = changeTree(known, { file: followed, version, change });
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
