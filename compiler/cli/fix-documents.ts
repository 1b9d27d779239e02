// Documents checked, their safe fixes carried out in memory, and checked again until nothing is left that
// can be fixed, and the changes as lines for people. Writes nothing: `replace-files.ts` does.

import { type CheckResult, checkDocuments } from "../compile.ts";
import { applyFixes, type FixedFile } from "../diagnostics/fixes/apply-fixes.ts";
import { textWithoutSecrets } from "../diagnostics/secrets/without-secrets.ts";
import { lineDiff } from "../embed/unit-tests/line-diff.ts";
import { type FileSystem, nodeFileSystem } from "../parse/document/file-system.ts";
import { createSourceFile } from "../source/source.ts";

/** A file that fixes changed; texts are without a byte order mark. */
export interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** What fixing came to. */
export interface FixOutcome {
  /** The documents as they are after the fixes. */
  readonly result: CheckResult;
  /** Problems that are gone. */
  readonly fixed: number;
  /** In the order in which they were first changed. */
  readonly changed: readonly ChangedFile[];
}

/** A fix may bring the next mistake to light, but not for ever. */
const maximumRounds = 10;

/** Fixes what can safely be fixed in the documents that `paths` name. */
export async function fixDocuments(
  paths: readonly string[],
  fileSystem: FileSystem = nodeFileSystem,
): Promise<FixOutcome> {
  const histories = new Map<string, History>();
  const overlay = createOverlay(fileSystem, histories);
  let result = await checkDocuments(paths, { fileSystem: overlay });
  for (let round = 0; round < maximumRounds; round++) {
    const fixes = applyFixes(result.diagnostics);
    const hasChanged = fixes.map((fix) => advance(histories, fix)).some(Boolean);
    if (!hasChanged) break;
    result = await checkDocuments(paths, { fileSystem: overlay });
  }
  const changed = [...histories].flatMap(([path, { steps }]) => {
    const [before, after] = [steps[0]?.text ?? "", steps.at(-1)?.text ?? ""];
    return before === after ? [] : [{ path, before, after }];
  });
  const fixed = [...histories.values()].reduce((sum, { steps }) => sum + (steps.at(-1)?.fixed ?? 0), 0);
  return { result, fixed, changed };
}

/** The texts a file has had, the first as it was read. */
interface History {
  readonly steps: { readonly text: string; readonly fixed: number }[];
  isSettled: boolean;
}

/** Takes a fixed text over. A text the file has had before means that fixes undo each other: it stays there. */
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

/** The files as they are, but for those with a history. */
function createOverlay(fileSystem: FileSystem, histories: ReadonlyMap<string, History>): FileSystem {
  return {
    list: (folder) => fileSystem.list(folder),
    async readFile(path, limit) {
      const text = histories.get(path)?.steps.at(-1)?.text;
      return text === undefined ? fileSystem.readFile(path, limit) : new TextEncoder().encode(text);
    },
  };
}

/** What changes in files, for people; nothing when nothing does. */
export function renderChanges(changed: readonly ChangedFile[]): string {
  return changed
    .flatMap(({ path, before, after }) => {
      const [old, now] = [before, after].map((text) => textWithoutSecrets(createSourceFile(path, text)));
      return [`--- ${path}`, `+++ ${path}`, ...lineDiff(old ?? "", now ?? "")];
    })
    .map((line) => `${line}\n`)
    .join("");
}
