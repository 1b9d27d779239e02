// The sets and documents of an editor's workspace: which of them a file belongs to, and their analyses for its newest text.

import { maximumBytes } from "../../compiler/parse/document/limits.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { folderOf, nameOf } from "../../compiler/parse/document/paths.ts";
import { readSourceFile } from "../../compiler/parse/document/read-file.ts";
import { isLong } from "../../compiler/source/source.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import { isMappingName } from "../analysis/analyse-mapping.ts";
import { type Analysis, documentAt, unwritten } from "../analysis/analysis.ts";
import { type CheckEvents, createChecks, isQuick } from "./checks.ts";
import { createDerivedAnalyses } from "./derived-analyses.ts";
import { findFilesNaming, findSetsAround, findSetsBelow, isSettingsName } from "./find-sets.ts";
import { isOurs, isUnwritten } from "./is-ours.ts";
import { type OpenTexts, overlay } from "./texts.ts";
import { analyseUnit, type Unit } from "./unit.ts";
import { createUnits } from "./units.ts";

/** The sets and documents of an editor's workspace. */
export interface Workspace {
  readonly texts: OpenTexts;
  /** Searches folders for sets and checks them. */
  addFolders(folders: readonly string[]): Promise<void>;
  removeFolders(folders: readonly string[]): void;
  /** Returns the folder of the editor that contains a file; the file's own folder if none does. */
  folderAround(path: string): string;
  /** Returns the tree of a document with the editor's text, whether the workspace checks it or not. */
  treeOf(path: string): Promise<DocumentNode | undefined>;
  /** Called when a text was opened, changed or closed, or a file changed on disk. */
  changed(path: string): void;
  /** Called when a file or folder was removed from disk: sets there no longer exist, unless an editor has them open. */
  deleted(path: string): void;
  opened(path: string): Promise<void>;
  closed(path: string): void;
  /**
   * Returns the analysis of the unit that a document belongs to, for its newest text; `undefined` for documents of
   * other programs.
   */
  analysisOf(path: string): Promise<Analysis | undefined>;
  /**
   * As `analysisOf`; if the document cannot be parsed, leaves out the change since it last could be. All other text
   * keeps its position in the newest text.
   */
  legibleOf(path: string): Promise<Analysis | undefined>;
  /**
   * Returns the last available analysis, possibly of an older text; waits if a check is quick or if there is none.
   * Documents in which nothing is written yet may become ours.
   */
  latestOf(path: string): Promise<Analysis | undefined>;
  /** Checks the unit that a document belongs to as if the document had another text. */
  analyseText(path: string, text: string): Promise<Analysis>;
  /**
   * Returns the analyses of all units that read a file, or a file in a folder, and of such documents on disk that
   * belong to no unit.
   */
  readersOf(path: string): Promise<readonly Analysis[]>;
  /** Returns the last analysis in which something could be parsed. */
  readableOf(path: string): Analysis | undefined;
  units(): readonly Unit[];
  /** Resolves when no check is pending. */
  settled(): Promise<void>;
  stop(): void;
}

/** Returns an empty workspace. */
export function createWorkspace(texts: OpenTexts, events: CheckEvents): Workspace {
  const units = createUnits(texts);
  const checks = createChecks(units, texts, events);
  const derived = createDerivedAnalyses(texts);
  /** The documents that were opened, while the search for sets around them runs. */
  const opening = new Map<string, Promise<void>>();
  /** The searches below folders that have not ended. */
  const searching = new Set<Promise<void>>();
  const opened = new Set<string>();
  /** Marks everything that depends on a path to be checked again. */
  const touch = (path: string): void => {
    for (const unit of units.all()) {
      if (!unit.dependencies.has(path) && !unit.reading.has(path)) continue;
      unit.isStale = true;
      unit.changed = performance.now();
    }
    // The diagnostics of a text that is not ours any longer, such as a deleted one, go at once.
    if (units.assign()) events.checked();
    checks.schedule();
  };

  /** Adds the sets below folders; a folder may be removed while it is searched. */
  const search = async (folders: readonly string[]): Promise<void> => {
    for (const folder of folders) {
      for (const path of await findSetsBelow(folder)) if (opened.has(folder)) units.add(path);
      checks.schedule();
    }
  };

  return {
    texts,
    addFolders(folders) {
      for (const folder of folders) opened.add(folder);
      const found = search(folders).finally(() => searching.delete(found));
      searching.add(found);
      return found;
    },
    folderAround(path) {
      const around = [...opened].filter((folder) => path.startsWith(`${folder.replace(/\/$/, "")}/`));
      return around.toSorted((one, other) => other.length - one.length)[0] ?? folderOf(path);
    },
    async treeOf(path) {
      const reading = { fileSystem: overlay(texts, () => {}), limit: maximumBytes, report: () => {} };
      const file = await readSourceFile(path, reading);
      return file && parseDocument(file, () => {});
    },
    removeFolders(folders) {
      for (const folder of folders) opened.delete(folder);
      for (const { path } of units.all())
        if (folders.some((folder) => path.startsWith(`${folder}/`)) && texts.find(path) === undefined)
          units.delete(path);
      events.checked();
    },
    deleted(path) {
      const isGone = (each: string) => each === path || each.startsWith(`${path}/`);
      for (const { path: own } of units.all())
        if (isGone(own) && texts.find(own) === undefined) units.delete(own);
      const read = units.all().flatMap(({ dependencies }) => [...dependencies].filter(isGone));
      for (const each of new Set([path, ...read])) touch(each);
      events.checked();
    },
    changed(path) {
      if (isSettingsName(path)) units.add(path);
      touch(path);
    },
    opened(path) {
      const found = findSetsAround(path)
        .then((sets) => {
          for (const set of sets) units.add(set);
          this.changed(path);
        })
        .finally(() => {
          if (opening.get(path) === found) opening.delete(path);
        });
      opening.set(path, found);
      return found;
    },
    closed(path) {
      const isSet = isSettingsName(path);
      if (!isSet) units.delete(path);
      this.changed(path);
      events.checked();
    },
    async analysisOf(path) {
      // Editors send requests immediately after they open a document. If the search for sets fails, the caller of
      // `opened` logs the reason.
      await opening.get(path)?.catch(() => undefined);
      for (;;) {
        const unit = units.unreadAround(path) ?? units.unitOf(path);
        if (unit === undefined || checks.isStopped()) return undefined;
        if (!unit.isStale) return unit.analysis && derived.withMapping(unit.analysis, path);
        await checks.hurry(unit);
      }
    },
    async legibleOf(path) {
      const analysis = await this.analysisOf(path);
      const [unit, text] = [units.unitOf(path), texts.find(path)?.getText()];
      if (analysis === undefined || unit === undefined || text === undefined) return analysis;
      const isRead = isMappingName(path) || documentAt(analysis, path) !== undefined;
      return isRead || isLong({ text }) ? analysis : derived.withoutChange(analysis, unit, path, text);
    },
    async latestOf(path) {
      const unit = units.unitOf(path);
      if (unit?.analysis !== undefined && !isQuick(unit)) return unit.analysis;
      const text = texts.find(path)?.getText() ?? "";
      return (await this.analysisOf(path)) ?? (isUnwritten(path, text) ? unwritten : undefined);
    },
    analyseText: (path, text) =>
      analyseUnit(
        units.unitOf(path)?.path ?? path,
        overlay(texts, () => {}, { path, text }),
      ),
    async readersOf(path) {
      await this.settled();
      const isRead = (each: string) => each === path || each.startsWith(`${path}/`);
      const known = units.all().filter(({ dependencies }) => [...dependencies].some(isRead));
      const met = new Set(units.all().flatMap(({ dependencies }) => [...dependencies]));
      const fileSystem = overlay(texts, () => {});
      const found = known.flatMap(({ analysis }) => analysis ?? []);
      // A file that imports a mapping file also reads the imports of that file.
      const names = [path, ...known.map((unit) => unit.path).filter(isMappingName)].map(nameOf);
      for (const name of names)
        for (const other of await findFilesNaming(name, opened, (each) => !met.has(each))) {
          met.add(other.path);
          if (!isOurs(other.path, other.text)) continue;
          found.push(await analyseUnit(other.path, fileSystem));
          if (isMappingName(other.path)) names.push(nameOf(other.path));
        }
      return found;
    },
    readableOf: (path) => units.unitOf(path)?.readable,
    units: () => units.all(),
    async settled() {
      // Before the search for it has ended, a document has no unit. The caller that opened the document or folder
      // logs a failed search.
      await Promise.allSettled([...opening.values(), ...searching]);
      while (!checks.isStopped() && units.all().some(({ isStale }) => isStale)) await checks.next();
    },
    stop: () => checks.stop(),
  };
}
