// The actions for diagnostics: their fixes, all safe fixes at once, and suppressions with a reason.

import {
  type CodeAction,
  CodeActionKind,
  type Diagnostic as EditorDiagnostic,
  type Range,
  type TextEdit,
} from "vscode-languageserver";
import { suppressionEntries } from "../../compiler/diagnostics/catalogue/4-suppressions.ts";
import { findEntry } from "../../compiler/diagnostics/catalogue.ts";
import { type Diagnostic, isAdjustable } from "../../compiler/diagnostics/diagnostic.ts";
import { applyFixes } from "../../compiler/diagnostics/fixes/apply-fixes.ts";
import { findFileRange } from "../../compiler/diagnostics/fixes/file-range.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { rangeIn, rangeOf } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { OpenTexts } from "../workspace/texts.ts";
import { toEditor, touches } from "./diagnostics.ts";
import { suppressionEdit } from "./suppressions.ts";

/** Returns the actions for a part of a document. `wanted`: the kinds that the editor requests; any kind if absent. */
export function codeActions(
  path: string,
  range: Range,
  wanted: readonly string[] | undefined,
  analysis: Analysis,
  texts: OpenTexts,
): readonly CodeAction[] {
  const uri = texts.uriOf(path);
  const here = analysis.diagnostics.filter(
    ({ span }) => absolutePath(span.source.file.path) === path && touches(rangeOf(span), range),
  );
  const isWanted = (kind: string) =>
    wanted === undefined || wanted.some((each) => kind === each || kind.startsWith(`${each}.`));
  const actions: CodeAction[] = [];
  if (isWanted(CodeActionKind.QuickFix)) {
    for (const diagnostic of here) {
      const shown = toEditor(diagnostic, texts);
      const fix = fixOf(diagnostic, shown, uri);
      if (fix !== undefined) actions.push(fix);
      const suppression = suppressionOf(diagnostic, shown, uri);
      if (suppression !== undefined) actions.push(suppression);
    }
  }
  // A request without a kind does not receive an action that changes the whole document.
  const all = wanted !== undefined && isWanted(fixAllKind) ? fixAll(path, uri, analysis) : undefined;
  return all === undefined ? actions : [...actions, all];
}

/** The kind of the action that applies all safe fixes of a document. */
export const fixAllKind = `${CodeActionKind.SourceFixAll}.sluice`;

function fixOf({ fix }: Diagnostic, shown: EditorDiagnostic, uri: string): CodeAction | undefined {
  const edits = (fix?.edits ?? []).flatMap(({ span, text }): readonly TextEdit[] => {
    const range = findFileRange(span);
    return range === undefined ? [] : [{ range: rangeIn(range.file, range.start, range.end), newText: text }];
  });
  if (fix === undefined || edits.length < fix.edits.length) return undefined;
  return {
    title: fix.title.replaceAll("`", "'").replace(/\.$/, ""),
    kind: CodeActionKind.QuickFix,
    diagnostics: [shown],
    isPreferred: fix.isSafe,
    edit: { changes: { [uri]: edits } },
  };
}

function suppressionOf(diagnostic: Diagnostic, shown: EditorDiagnostic, uri: string): CodeAction | undefined {
  const entry = findEntry(diagnostic.code);
  // A problem in a suppression is corrected there; another suppression would not help.
  const isOfSuppression = Object.hasOwn(suppressionEntries, diagnostic.code);
  const edit =
    entry !== undefined && isAdjustable(entry) && !isOfSuppression ? suppressionEdit(diagnostic) : undefined;
  return (
    edit && {
      title: `Suppress ${diagnostic.code} here (write the reason)`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [shown],
      edit: { changes: { [uri]: [edit] } },
    }
  );
}

function fixAll(path: string, uri: string, { diagnostics }: Analysis): CodeAction | undefined {
  const fixed = applyFixes(diagnostics).find(({ file }) => absolutePath(file.path) === path);
  if (fixed === undefined) return undefined;
  const range = rangeIn(fixed.file, 0, fixed.file.text.length);
  return {
    title: "Apply all safe fixes",
    kind: fixAllKind,
    edit: { changes: { [uri]: [{ range, newText: fixed.text }] } },
  };
}
