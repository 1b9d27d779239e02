// Which file belongs to which set, and when what is checked again: at once where that is quick, after a pause in typing
// where it is not. A check whose text has changed meanwhile says nothing.

import { createCheckMemory } from "../../compiler/parse/check-memory.ts";
import { maximumBytes } from "../../compiler/parse/document/limits.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { folderOf, nameOf } from "../../compiler/parse/document/paths.ts";
import { readSourceFile } from "../../compiler/parse/document/read-file.ts";
import { isLong } from "../../compiler/source/source.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import { analyseMapping, isMappingName } from "../analysis/analyse-mapping.ts";
import { type Analysis, documentAt } from "../analysis/analysis.ts";
import { withoutChange } from "../analysis/left-out.ts";
import { findFilesNaming, findSetsAround, findSetsBelow, isSettingsName } from "./find-sets.ts";
import { isOurs } from "./is-ours.ts";
import { absolutePath, pathOfUri } from "./paths.ts";
import { type OpenTexts, overlay } from "./texts.ts";
import { analyseUnit, checkUnit, createUnit, type Unit } from "./unit.ts";

/** The sets and documents of an editor's workspace. */
export interface Workspace {
  readonly texts: OpenTexts;
  /** Looks for sets in folders; what they hold is checked. */
  addFolders(folders: readonly string[]): Promise<void>;
  removeFolders(folders: readonly string[]): void;
  /** The folder of the editor that a file lies in; the file's own where it lies in none. */
  folderAround(path: string): string;
  /** The tree of a document as editors have it, whether the workspace checks it or not. */
  treeOf(path: string): Promise<DocumentNode | undefined>;
  /** A text was opened, changed or closed, or a file changed on the disk. */
  changed(path: string): void;
  /** A file or folder is gone from the disk: sets that lay there are none any more, unless an editor has them open. */
  deleted(path: string): void;
  opened(path: string): Promise<void>;
  closed(path: string): void;
  /** The analysis of what a document belongs to, of its newest text; `undefined` for documents of other programs. */
  analysisOf(path: string): Promise<Analysis | undefined>;
  /**
   * The same; of a document that does not read, with what was changed since it did left out. Everything else stands where it
   * stands in the newest text.
   */
  legibleOf(path: string): Promise<Analysis | undefined>;
  /** The last analysis that is there, maybe of an older text; waits where a check is quick, or there is none. */
  latestOf(path: string): Promise<Analysis | undefined>;
  /** Checks what a document belongs to as if the document had another text. */
  analyseText(path: string, text: string): Promise<Analysis>;
  /** The analyses of all that reads a file, or a file in a folder: of units, and of documents on the disk that are in none. */
  readersOf(path: string): Promise<readonly Analysis[]>;
  /** The last analysis in which something could be read. */
  readableOf(path: string): Analysis | undefined;
  units(): readonly Unit[];
  /** Resolves when nothing is left to check. */
  settled(): Promise<void>;
  stop(): void;
}

/** What the workspace does when something was checked, and when something in the server failed. */
export interface WorkspaceEvents {
  checked(): void;
  failed(error: unknown): void;
}

/** Longest pause in typing that a check waits for, in milliseconds; quick checks wait shorter. */
const longestPause = 100;

/** Checks up to this many milliseconds long run at once. */
const quickCheck = 100;

/** A workspace with nothing in it. */
export function createWorkspace(texts: OpenTexts, events: WorkspaceEvents): Workspace {
  const units = new Map<string, Unit>();
  /** Documents that were opened, while the sets around them are looked for. */
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

  /** The unit that a document is one of; documents that a set only refers to have one of their own. */
  const unitOf = (path: string): Unit | undefined => {
    const all = [...units.values()];
    const held = all.find((unit) => unit.path !== path && holds(unit, path));
    const own = units.get(path);
    return held ?? own ?? all.find((unit) => unit.dependencies.has(path));
  };

  /** A set that was found above a document and never checked: the document may be one of it. */
  const unreadAround = (path: string): Unit | undefined =>
    [...units.values()].find(
      (unit) =>
        isSettingsName(unit.path) &&
        unit.isStale &&
        unit.analysis === undefined &&
        path.startsWith(unit.path.slice(0, unit.path.lastIndexOf("/") + 1)),
    );

  /** Open documents have a unit of their own where no set holds them. */
  const assign = (): void => {
    for (const text of texts.all()) {
      const path = pathOfUri(text.uri);
      const isHeld = [...units.values()].some((unit) => unit.path !== path && holds(unit, path));
      const own = units.get(path);
      const wanted = isSettingsName(path) || (!isHeld && isOurs(path, text.getText()));
      if (wanted && own === undefined) add(path);
      if (!wanted && own !== undefined) units.delete(path);
    }
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
      // The next change tries again. What was known is of another text, and answers nothing any more.
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

  /** What depends on a path is checked again. */
  const touch = (path: string): void => {
    for (const unit of units.values()) {
      if (!unit.dependencies.has(path) && !unit.reading.has(path)) continue;
      unit.isStale = true;
      unit.changed = performance.now();
    }
    assign();
    schedule();
  };

  /** Someone waits for an answer: no pause. */
  const hurry = (unit: Unit): void => {
    unit.duration = Math.min(unit.duration, quickCheck);
    clearTimeout(timer);
    timer = undefined;
    schedule();
  };

  /** A folder may be removed while it is searched. */
  const search = async (folders: readonly string[]): Promise<void> => {
    for (const folder of folders)
      for (const path of await findSetsBelow(folder)) if (opened.has(folder)) add(path);
  };

  /** What was read of documents that do not read, by the analysis that could not. */
  const legible = new WeakMap<Analysis, Map<string, Promise<Analysis>>>();

  /** One after the other, as they share what a check keeps for the next. */
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

  /** A file of mappings that documents of a set import is a script of its own as well: for hovers, colours, its outline. */
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
      // Editors ask right after they open a document. Why sets cannot be looked for is logged by the caller of `opened`.
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
      const isQuick = unit === undefined || unit.duration <= quickCheck;
      return isQuick ? this.analysisOf(path) : (unit.analysis ?? this.analysisOf(path));
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
      // Who imports a file of mappings reads what that one imports.
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
      // Nothing is a unit before the search for it has ended. Who opened the document or folder says why that failed.
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
  // A document that is broken is in no set for now: it stays where it was.
  const isRead = set?.documents.some(({ file }) => absolutePath(file.path) === path) === true;
  const isSet = isSettingsName(own) || set?.settingsFile !== undefined;
  return isSet && dependencies.has(path) && !isRead;
}
