// Assigns files to sets, and decides when they are checked again: immediately if a check is quick, otherwise after a
// pause in typing. The results of a check are discarded if its text has changed meanwhile.

import { createCheckMemory } from "../../compiler/parse/check-memory.ts";
import { maximumBytes } from "../../compiler/parse/document/limits.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { folderOf, nameOf } from "../../compiler/parse/document/paths.ts";
import { readSourceFile } from "../../compiler/parse/document/read-file.ts";
import { isLong } from "../../compiler/source/source.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import { analyseMapping, isMappingName } from "../analysis/analyse-mapping.ts";
import { type Analysis, documentAt, unwritten } from "../analysis/analysis.ts";
import { withoutChange } from "../analysis/left-out.ts";
import { findFilesNaming, findSetsAround, findSetsBelow, isSettingsName } from "./find-sets.ts";
import { isOurs, isUnwritten } from "./is-ours.ts";
import { absolutePath, pathOfUri } from "./paths.ts";
import { type OpenTexts, overlay } from "./texts.ts";
import { analyseUnit, checkUnit, createUnit, type Unit } from "./unit.ts";

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

/** The events of a workspace: a check has ended, or an internal error occurred. */
export interface WorkspaceEvents {
  checked(): void;
  failed(error: unknown): void;
}

/** The longest pause in typing before a check, in milliseconds; quick checks wait less. */
const longestPause = 100;

/** The longest duration, in milliseconds, of checks that run immediately. */
const quickCheck = 100;

/** Returns an empty workspace. */
export function createWorkspace(texts: OpenTexts, events: WorkspaceEvents): Workspace {
  const units = new Map<string, Unit>();
  /** The documents that were opened, while the search for sets around them runs. */
  const opening = new Map<string, Promise<void>>();
  /** The searches below folders that have not ended. */
  const searching = new Set<Promise<void>>();
  const opened = new Set<string>();
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStopped = false;

  const add = (path: string): void => {
    if (units.has(path)) return;
    units.set(path, createUnit(path));
    schedule();
  };

  /** Returns the unit that contains a document; a document that a set only refers to has a unit of its own. */
  const unitOf = (path: string): Unit | undefined => {
    const all = [...units.values()];
    const held = all.find((unit) => unit.path !== path && holds(unit, path));
    const own = units.get(path);
    return held ?? own ?? all.find((unit) => unit.dependencies.has(path));
  };

  /** Returns a set above a document that was found but never checked: it may contain the document. */
  const unreadAround = (path: string): Unit | undefined =>
    [...units.values()].find(
      (unit) =>
        isSettingsName(unit.path) &&
        unit.isStale &&
        unit.analysis === undefined &&
        path.startsWith(unit.path.slice(0, unit.path.lastIndexOf("/") + 1)),
    );

  /**
   * Creates units for open documents that belong to no set, and removes those of documents that now belong to one or are
   * not ours. Returns whether any was removed.
   */
  const assign = (): boolean => {
    let isRemoved = false;
    for (const text of texts.all()) {
      const path = pathOfUri(text.uri);
      const isHeld = [...units.values()].some((unit) => unit.path !== path && holds(unit, path));
      const own = units.get(path);
      const wanted = isSettingsName(path) || (!isHeld && isOurs(path, text.getText()));
      if (wanted && own === undefined) add(path);
      if (!wanted && own !== undefined) isRemoved = units.delete(path);
    }
    return isRemoved;
  };

  const schedule = (): void => {
    if (isStopped || isRunning || timer !== undefined) return;
    const stale = [...units.values()].filter(({ isStale }) => isStale);
    if (stale.length === 0) {
      settle();
      return;
    }
    const due = Math.min(...stale.map(dueAt));
    timer = setTimeout(run, Math.max(0, due - performance.now()));
  };

  const settle = (): void => {
    const resolved = waiting;
    waiting = [];
    for (const resolve of resolved) resolve();
  };

  const run = async (): Promise<void> => {
    timer = undefined;
    isRunning = true;
    const stale = [...units.values()].filter(({ isStale }) => isStale);
    const unit = stale.sort((one, other) => dueAt(one) - dueAt(other))[0];
    try {
      if (unit !== undefined && (await checkUnit(unit, texts))) {
        assign();
        events.checked();
        settle();
      }
    } catch (error) {
      // The next change triggers another attempt. The old analysis belongs to another text and is not used any longer.
      if (unit !== undefined) {
        unit.isStale = false;
        delete unit.analysis;
      }
      events.failed(error);
      settle();
    } finally {
      isRunning = false;
      schedule();
    }
  };

  /** Marks everything that depends on a path to be checked again. */
  const touch = (path: string): void => {
    for (const unit of units.values()) {
      if (!unit.dependencies.has(path) && !unit.reading.has(path)) continue;
      unit.isStale = true;
      unit.changed = performance.now();
    }
    // The diagnostics of a text that is not ours any longer, such as a deleted one, go at once.
    if (assign()) events.checked();
    schedule();
  };

  /** Checks a unit without a pause, because a request waits for it. */
  const hurry = (unit: Unit): void => {
    unit.duration = Math.min(unit.duration, quickCheck);
    clearTimeout(timer);
    timer = undefined;
    schedule();
  };

  /** Adds the sets below folders; a folder may be removed while it is searched. */
  const search = async (folders: readonly string[]): Promise<void> => {
    for (const folder of folders)
      for (const path of await findSetsBelow(folder)) if (opened.has(folder)) add(path);
  };

  /** The partial analyses of documents that could not be parsed, by the analysis that failed. */
  const legible = new WeakMap<Analysis, Map<string, Promise<Analysis>>>();

  /** Checks these documents one after the other, as the checks share the results that they keep. */
  const readRest = (analysis: Analysis, unit: Unit, path: string, text: string): Promise<Analysis> => {
    const known = legible.get(analysis) ?? new Map<string, Promise<Analysis>>();
    legible.set(analysis, known);
    // The compiler names files relative to the working directory.
    const before = unit.memory.documents.textOf(analysis.files.get(path)?.path ?? path);
    const rest = before === undefined ? undefined : withoutChange(path, before, text);
    const rests = unit.rests ?? { memory: createCheckMemory(), last: Promise.resolve() };
    unit.rests = rests;
    const found =
      known.get(path) ??
      (rest === undefined
        ? Promise.resolve(analysis)
        : rests.last.then(() =>
            analyseUnit(
              unit.path,
              overlay(texts, () => {}, { path, text: rest }),
              rests.memory,
            ),
          ));
    known.set(path, found);
    rests.last = found.then(
      () => undefined,
      () => undefined,
    );
    return found;
  };

  const mappings = new WeakMap<Analysis, Map<string, Promise<Analysis>>>();

  /** Adds a mapping file that a set imports as a script of its own, for hovers, highlighting and its outline. */
  const withMapping = (analysis: Analysis, path: string): Analysis | Promise<Analysis> => {
    const isRead = analysis.scripts.some(({ field }) => absolutePath(field.span.source.file.path) === path);
    if (!isMappingName(path) || isRead) return analysis;
    const known = mappings.get(analysis) ?? new Map<string, Promise<Analysis>>();
    mappings.set(analysis, known);
    const found = known.get(path) ?? addMapping(analysis, path);
    known.set(path, found);
    return found;
  };

  const addMapping = async (analysis: Analysis, path: string): Promise<Analysis> => {
    const own = await analyseMapping(
      path,
      overlay(texts, () => {}),
    );
    return {
      ...analysis,
      scripts: [...own.scripts, ...analysis.scripts],
      files: new Map([...own.files, ...analysis.files]),
    };
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
      for (const path of units.keys())
        if (folders.some((folder) => path.startsWith(`${folder}/`)) && texts.find(path) === undefined)
          units.delete(path);
      events.checked();
    },
    deleted(path) {
      const isGone = (each: string) => each === path || each.startsWith(`${path}/`);
      for (const own of units.keys()) if (isGone(own) && texts.find(own) === undefined) units.delete(own);
      const read = [...units.values()].flatMap(({ dependencies }) => [...dependencies].filter(isGone));
      for (const each of new Set([path, ...read])) touch(each);
      events.checked();
    },
    changed(path) {
      if (isSettingsName(path)) add(path);
      touch(path);
    },
    opened(path) {
      const found = findSetsAround(path)
        .then((sets) => {
          for (const set of sets) add(set);
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
        const unit = unreadAround(path) ?? unitOf(path);
        if (unit === undefined || isStopped) return undefined;
        if (!unit.isStale) return unit.analysis && withMapping(unit.analysis, path);
        const next = new Promise<void>((resolve) => waiting.push(resolve));
        hurry(unit);
        await next;
      }
    },
    async legibleOf(path) {
      const analysis = await this.analysisOf(path);
      const [unit, text] = [unitOf(path), texts.find(path)?.getText()];
      if (analysis === undefined || unit === undefined || text === undefined) return analysis;
      const isRead = isMappingName(path) || documentAt(analysis, path) !== undefined;
      return isRead || isLong({ text }) ? analysis : readRest(analysis, unit, path, text);
    },
    async latestOf(path) {
      const unit = unitOf(path);
      if (unit?.analysis !== undefined && unit.duration > quickCheck) return unit.analysis;
      const text = texts.find(path)?.getText() ?? "";
      return (await this.analysisOf(path)) ?? (isUnwritten(path, text) ? unwritten : undefined);
    },
    analyseText: (path, text) =>
      analyseUnit(
        unitOf(path)?.path ?? path,
        overlay(texts, () => {}, { path, text }),
      ),
    async readersOf(path) {
      await this.settled();
      const isRead = (each: string) => each === path || each.startsWith(`${path}/`);
      const known = [...units.values()].filter(({ dependencies }) => [...dependencies].some(isRead));
      const met = new Set([...units.values()].flatMap(({ dependencies }) => [...dependencies]));
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
    readableOf: (path) => unitOf(path)?.readable,
    units: () => [...units.values()],
    async settled() {
      // Before the search for it has ended, a document has no unit. The caller that opened the document or folder
      // logs a failed search.
      await Promise.allSettled([...opening.values(), ...searching]);
      while (!isStopped && [...units.values()].some(({ isStale }) => isStale)) {
        const next = new Promise<void>((resolve) => waiting.push(resolve));
        schedule();
        await next;
      }
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      settle();
    },
  };
}

function dueAt({ changed, duration }: Unit): number {
  return duration <= quickCheck ? changed : changed + Math.min(longestPause, duration / 4);
}

/** Whether a document is an API, the settings or an imported mapping of a unit. */
function holds({ analysis, readable, dependencies, path: own }: Unit, path: string): boolean {
  if (own === path) return true;
  if (isMappingName(path)) return dependencies.has(path);
  const set = analysis?.set ?? readable?.set;
  if (set?.apis.some(({ file }) => absolutePath(file.path) === path) === true) return true;
  // A document with a syntax error is temporarily in no set: it stays with its unit.
  const isRead = set?.documents.some(({ file }) => absolutePath(file.path) === path) === true;
  const isSet = isSettingsName(own) || set?.settingsFile !== undefined;
  return isSet && dependencies.has(path) && !isRead;
}
