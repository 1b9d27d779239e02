// A unit of checking: a set, or a document that belongs to none, with its last analysis and the files that it depends
// on.

import { isTestFile } from "../../compiler/embed/unit-tests/check-cases.ts";
import { type CheckMemory, createCheckMemory } from "../../compiler/parse/check-memory.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import { analyseMapping, isMappingName } from "../analysis/analyse-mapping.ts";
import { analyseTests, withOwnTests } from "../analysis/analyse-tests.ts";
import { type Analysis, analyse } from "../analysis/analysis.ts";
import { absolutePath } from "./paths.ts";
import { type OpenTexts, overlay } from "./texts.ts";

/** A set or document that is checked as a whole. */
export interface Unit {
  /** The `gateway.yaml` or the document. */
  readonly path: string;
  /** All paths that the last check requested, including those of missing files. */
  dependencies: ReadonlySet<string>;
  /** The paths that a running check has requested so far. */
  reading: ReadonlySet<string>;
  /** The analysis of the newest checked text; absent before the first check. */
  analysis?: Analysis;
  /** The last analysis in which something could be parsed; it contains the meaning of a text before a syntax error. */
  readable?: Analysis;
  isStale: boolean;
  /** The time of the last change in the unit, in milliseconds of `performance.now()`. */
  changed: number;
  /** The results that checks keep for the next check. */
  readonly memory: CheckMemory;
  /** The duration of the last check, in milliseconds. */
  duration: number;
  /**
   * For checks of documents that cannot be parsed, with the last change left out: their kept results, and the last
   * such check.
   */
  rests?: { readonly memory: CheckMemory; last: Promise<void> };
}

/** Returns a unit that was never checked. */
export function createUnit(path: string): Unit {
  return {
    path,
    dependencies: new Set([path]),
    reading: new Set(),
    isStale: true,
    changed: 0,
    memory: createCheckMemory(),
    duration: 0,
  };
}

/**
 * Checks a unit. Returns false if a text changed meanwhile: the results, which belong to the old text, are then
 * discarded.
 */
export async function checkUnit(unit: Unit, texts: OpenTexts): Promise<boolean> {
  const dependencies = new Set([unit.path]);
  const fileSystem = overlay(texts, (path) => dependencies.add(absolutePath(path)));
  const before = unit.changed;
  unit.reading = dependencies;
  const start = performance.now();
  const analysis = await analyseUnit(unit.path, fileSystem, unit.memory);
  unit.duration = performance.now() - start;
  if (unit.changed !== before) return false;
  unit.dependencies = dependencies;
  unit.analysis = analysis;
  if (analysis.scripts.length > 0 || (analysis.set?.apis.length ?? 0) > 0) unit.readable = analysis;
  unit.isStale = false;
  return true;
}

/** Checks the file at `path`: a set, a document, unit tests or a mapping. `memory`: results of earlier checks of it. */
export async function analyseUnit(
  path: string,
  fileSystem: FileSystem,
  memory?: CheckMemory,
): Promise<Analysis> {
  if (isMappingName(path)) return analyseMapping(path, fileSystem);
  const text = fileSystem.textOf?.(path) ?? "";
  if (isTestFile(path, text)) return analyseTests(path, fileSystem, memory);
  return withOwnTests(await analyse(path, fileSystem, memory), fileSystem);
}
