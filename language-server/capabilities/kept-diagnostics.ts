// A document with syntax errors is not checked. The earlier diagnostics of unchanged parts remain valid: they are
// kept and moved to the current position of their text.

import type { Range } from "vscode-languageserver";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { offsetsOf } from "../../compiler/source/source.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { markLength } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { OpenTexts } from "../workspace/texts.ts";

/** A diagnostic of an older text that still applies to the newer one. */
export interface Kept {
  readonly path: string;
  readonly diagnostic: Diagnostic;
  readonly range: Range;
}

/** Returns the diagnostics of `readable` in open documents that `analysis` could not parse. */
export function keptDiagnostics(
  analysis: Analysis,
  readable: Analysis | undefined,
  texts: OpenTexts,
): readonly Kept[] {
  if (readable === undefined || readable === analysis) return [];
  const read = new Set(analysis.set?.documents.map(({ file }) => absolutePath(file.path)));
  return readable.diagnostics.flatMap((diagnostic): readonly Kept[] => {
    const { file } = diagnostic.span.source;
    const path = absolutePath(file.path);
    const open = texts.find(path);
    if (read.has(path) || open === undefined || !readable.files.has(path)) return [];
    const text = open.getText();
    const mark = markLength(text);
    const moved = moveOffsets(offsetsOf(diagnostic.span), file.text, text.slice(mark));
    if (moved === undefined) return [];
    const range = { start: open.positionAt(moved.start + mark), end: open.positionAt(moved.end + mark) };
    return [{ path, diagnostic, range }];
  });
}

interface Offsets {
  readonly start: number;
  readonly end: number;
}

/** Returns the offsets in `after` of a part of `before`; `undefined` if the part was changed. */
function moveOffsets({ start, end }: Offsets, before: string, after: string): Offsets | undefined {
  const shortest = Math.min(before.length, after.length);
  let same = 0;
  while (same < shortest && before.charCodeAt(same) === after.charCodeAt(same)) same++;
  if (end < same) return { start, end };
  let rest = 0;
  while (
    rest < shortest - same &&
    before.charCodeAt(before.length - 1 - rest) === after.charCodeAt(after.length - 1 - rest)
  )
    rest++;
  const shift = after.length - before.length;
  return start > before.length - rest ? { start: start + shift, end: end + shift } : undefined;
}
