// Analyses that requests need in addition to those of units: of documents that cannot be parsed, and of mapping files that a
// set imports. Each is made once for an analysis of the unit.

import { createCheckMemory } from "../../compiler/parse/check-memory.ts";
import { analyseMapping, isMappingName } from "../analysis/analyse-mapping.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { withoutChange } from "../analysis/left-out.ts";
import { absolutePath } from "./paths.ts";
import { type OpenTexts, overlay } from "./texts.ts";
import { analyseUnit, type Unit } from "./unit.ts";

/** The analyses that are derived from those of units. */
export interface DerivedAnalyses {
  /**
   * Returns the analysis of a unit without the change that made the `text` of a document illegible; the analysis itself if
   * the document was never legible. Checks such documents one after the other, as the checks share the results that they
   * keep.
   */
  withoutChange(analysis: Analysis, unit: Unit, path: string, text: string): Promise<Analysis>;
  /** Adds a mapping file that a set imports as a script of its own, for hovers, highlighting and its outline. */
  withMapping(analysis: Analysis, path: string): Analysis | Promise<Analysis>;
}

/** Returns the derived analyses, which are kept as long as the analyses that they belong to. */
export function createDerivedAnalyses(texts: OpenTexts): DerivedAnalyses {
  const legible = createCache();
  const mappings = createCache();

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
    withoutChange: (analysis, unit, path, text) =>
      legible(analysis, path, () => {
        // The compiler names files relative to the working directory.
        const before = unit.memory.documents.textOf(analysis.files.get(path)?.path ?? path);
        const rest = before === undefined ? undefined : withoutChange(path, before, text);
        if (rest === undefined) return Promise.resolve(analysis);
        unit.rests ??= { memory: createCheckMemory(), last: Promise.resolve() };
        const { rests } = unit;
        const found = rests.last.then(() =>
          analyseUnit(
            unit.path,
            overlay(texts, () => {}, { path, text: rest }),
            rests.memory,
          ),
        );
        rests.last = found.then(
          () => undefined,
          () => undefined,
        );
        return found;
      }),
    withMapping(analysis, path) {
      const isRead = analysis.scripts.some(({ field }) => absolutePath(field.span.source.file.path) === path);
      if (!isMappingName(path) || isRead) return analysis;
      return mappings(analysis, path, () => addMapping(analysis, path));
    },
  };
}

/** Returns a function that derives an analysis for a path once. */
function createCache(): (
  analysis: Analysis,
  path: string,
  derive: () => Promise<Analysis>,
) => Promise<Analysis> {
  const byAnalysis = new WeakMap<Analysis, Map<string, Promise<Analysis>>>();
  return (analysis, path, derive) => {
    const known = byAnalysis.get(analysis) ?? new Map<string, Promise<Analysis>>();
    byAnalysis.set(analysis, known);
    const found = known.get(path) ?? derive();
    known.set(path, found);
    return found;
  };
}
