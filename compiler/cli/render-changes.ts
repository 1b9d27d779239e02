// Files before and after, as lines led by `-` and `+`, without the secrets in them.

import { textWithoutSecrets } from "../diagnostics/secrets/without-secrets.ts";
import { lineDiff } from "../embed/unit-tests/line-diff.ts";
import { createSourceFile } from "../source/source.ts";
import type { ChangedFile } from "./fix-documents.ts";

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
