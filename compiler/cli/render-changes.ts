// Files before and after, as lines led by `-` and `+`.

import { lineDiff } from "../embed/unit-tests/line-diff.ts";
import type { ChangedFile } from "./fix-documents.ts";

/** What changes in files, for people; nothing when nothing does. */
export function renderChanges(changed: readonly ChangedFile[]): string {
  return changed
    .flatMap(({ path, before, after }) => [`--- ${path}`, `+++ ${path}`, ...lineDiff(before, after)])
    .map((line) => `${line}\n`)
    .join("");
}
