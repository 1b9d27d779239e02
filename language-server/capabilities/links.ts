// Shows the file names in a document as links.

import type { DocumentLink } from "vscode-languageserver";
import type { Analysis } from "../analysis/analysis.ts";
import { namedFiles } from "../analysis/named-files.ts";
import { rangeOf } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { OpenTexts } from "../workspace/texts.ts";

/** Returns the links of a document, each once. */
export function documentLinks(analysis: Analysis, path: string, texts: OpenTexts): readonly DocumentLink[] {
  const found = new Map<string, DocumentLink>();
  for (const { target, span } of namedFiles(analysis)) {
    if (absolutePath(span.source.file.path) !== path) continue;
    const range = rangeOf(span);
    found.set(JSON.stringify(range), { range, target: texts.uriOf(target) });
  }
  return [...found.values()];
}
