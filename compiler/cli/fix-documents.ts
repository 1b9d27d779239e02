// Checks documents and unit tests, applies their safe fixes in memory, and checks again until nothing is left that can be
// fixed. Also renders the changes as lines for people. Writes no files: `replace-files.ts` does.

import type { CheckResult } from "../compile.ts";
import { applyFixes, type FixedFile } from "../diagnostics/fixes/apply-fixes.ts";
import { textWithoutSecrets } from "../diagnostics/secrets/without-secrets.ts";
import { lineDiff } from "../embed/unit-tests/line-diff.ts";
import { type FileSystem, nodeFileSystem } from "../parse/document/file-system.ts";
import { createSourceFile } from "../source/source.ts";
import { checkWithTests } from "./check-with-tests.ts";

/** A file that fixes changed. The texts have no byte order mark. */
export interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The result of fixing. */
export interface FixOutcome {
  /** The result of checking the fixed documents. */
  readonly result: CheckResult;
  /** Number of problems fixed. */
  readonly fixed: number;
  /** In the order in which they were first changed. */
  readonly changed: readonly ChangedFile[];
}

/** A fix may reveal another problem; this limits the number of rounds. */
const maximumRounds = 10;

/** Fixes the documents and files of unit tests that `paths` name, as far as fixes are safe. */
export async function fixDocuments(
  paths: readonly string[],
  fileSystem: FileSystem = nodeFileSystem,
): Promise<FixOutcome> {
  const histories = new Map<string, History>();
  const overlay = createOverlay(fileSystem, histories);
  let result = await checkWithTests(paths, overlay);
  for (let round = 0; round < maximumRounds; round++) {
    const fixes = applyFixes(result.diagnostics);
    const hasChanged = fixes.map((fix) => advance(histories, fix)).some(Boolean);
    if (!hasChanged) break;
    result = await checkWithTests(paths, overlay);
  }
  const changed = [...histories].flatMap(([path, { steps }]) => {
    const [before, after] = [steps[0]?.text ?? "", steps.at(-1)?.text ?? ""];
    return before === after ? [] : [{ path, before, after }];
  });
  const fixed = [...histories.values()].reduce((sum, { steps }) => sum + (steps.at(-1)?.fixed ?? 0), 0);
  return { result, fixed, changed };
}

/** The successive texts of a file, beginning with the text that was read. */
interface History {
  readonly steps: { readonly text: string; readonly fixed: number }[];
  isSettled: boolean;
}

/** Accepts a fixed text. If the file already had that text, fixes undo each other, and the file is left as it is. */
function advance(histories: Map<string, History>, { file, text, fixed }: FixedFile): boolean {
  const history = histories.get(file.path) ?? { steps: [{ text: file.text, fixed: 0 }], isSettled: false };
  histories.set(file.path, history);
  if (history.isSettled) return false;
  const { steps } = history;
  const earlier = steps.findIndex((step) => step.text === text);
  if (earlier === -1) {
    steps.push({ text, fixed: (steps.at(-1)?.fixed ?? 0) + fixed });
  } else {
    steps.length = earlier + 1;
    history.isSettled = true;
  }
  return true;
}

/** Returns a file system in which files with a history have their latest text. */
function createOverlay(fileSystem: FileSystem, histories: ReadonlyMap<string, History>): FileSystem {
  return {
    list: (folder) => fileSystem.list(folder),
    async readFile(path, limit) {
      const text = histories.get(path)?.steps.at(-1)?.text;
      return text === undefined ? fileSystem.readFile(path, limit) : new TextEncoder().encode(text);
    },
  };
}

/** Returns the changes in files, for people; empty if there are none. */
export function renderChanges(changed: readonly ChangedFile[]): string {
  return changed
    .flatMap(({ path, before, after }) => {
      const [old, now] = [before, after].map((text) => textWithoutSecrets(createSourceFile(path, text)));
      return [`--- ${path}`, `+++ ${path}`, ...lineDiff(old ?? "", now ?? "")];
    })
    .map((line) => `${line}\n`)
    .join("");
}
