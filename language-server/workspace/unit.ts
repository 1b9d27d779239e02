// A unit of checking: a set, or a document that is in none, with its last analysis and the files it depends on.

import { isTestFile } from "../../compiler/embed/unit-tests/check-cases.ts";
import { type CheckMemory, createCheckMemory } from "../../compiler/parse/check-memory.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import { analyseMapping, isMappingName } from "../analysis/analyse-mapping.ts";
import { analyseTests, withOwnTests } from "../analysis/analyse-tests.ts";
import { type Analysis, analyse } from "../analysis/analysis.ts";
import { absolutePath } from "./paths.ts";
import { type OpenTexts, overlay } from "./texts.ts";

/** Something that is checked as a whole. */
export interface Unit {
  /** The `gateway.yaml` or the document. */
  readonly path: string;
  /** Every path that the last check asked for, whether it is there or not. */
  dependencies: ReadonlySet<string>;
  /** The paths that a check which is under way asked for so far. */
  reading: ReadonlySet<string>;
  /** Of the newest text that was checked; absent before the first check. */
  analysis?: Analysis;
  /** The last in which something could be read, which knows what a text meant before it was broken. */
  readable?: Analysis;
  isStale: boolean;
  /** When something in it changed last, in milliseconds of this process. */
  changed: number;
  /** What checks of it keep for the next one. */
  readonly memory: CheckMemory;
  /** What the last check took, in milliseconds. */
  duration: number;
  /** The same for checks of documents that do not read, without what was changed; and the last of these. */
  rests?: { readonly memory: CheckMemory; last: Promise<void> };
}

/** A unit that was never checked. */
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
 * Checks a unit. False where a text changed meanwhile: what was found is then of a text that is gone, and is dropped.
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

/** Checks what `path` names: a set, a document, unit tests or a mapping. `memory`: of earlier checks of it. */
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
