// Formats scripts like `sluice fmt`; the rest of a document is not changed.

import type { Range, TextEdit } from "vscode-languageserver";
import { formatFields, formatMappingFile } from "../../compiler/format/format-document.ts";
import { fieldsOf } from "../../compiler/trees/fields.ts";
import { isMappingName } from "../analysis/analyse-mapping.ts";
import { type Analysis, documentAt } from "../analysis/analysis.ts";
import { rangeIn, rangeOf } from "../analysis/positions.ts";
import { touches } from "./diagnostics.ts";

/** Returns the edits that format the mappings that overlap a range; a file of mappings is formatted as a whole. */
export function rangeFormattingEdits(analysis: Analysis, path: string, range: Range): readonly TextEdit[] {
  return formattingEdits(analysis, path).filter((edit) => touches(edit.range, range));
}

/** Returns the edits that format a document. */
export function formattingEdits(analysis: Analysis, path: string): readonly TextEdit[] {
  const { set, files, tests, scripts } = analysis;
  const file = files.get(path);
  if (isMappingName(path) && file !== undefined) {
    const newText = formatMappingFile(file.text);
    return newText === file.text ? [] : [{ range: rangeIn(file, 0, file.text.length), newText }];
  }
  const document = documentAt(analysis, path);
  if (document === undefined) return [];
  const fields = set === undefined || tests !== undefined ? scripts.map(({ field }) => field) : fieldsOf(set);
  const edits = formatFields(fields, document.file.path);
  return edits.map(({ span, text }) => ({ range: rangeOf(span), newText: text }));
}
