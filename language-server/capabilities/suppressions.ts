// Creates the edit that suppresses a diagnostic: a comment on the line above, or an `x-gw-ignore` entry in JSON.

import type { TextEdit } from "vscode-languageserver";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { ignoreKey } from "../../compiler/parse/suppressions/ignore-entries.ts";
import { isJson, offsetsOf, type SourceFile } from "../../compiler/source/source.ts";
import { rangeIn } from "../analysis/positions.ts";

/** The placeholder for the reason, which authors replace. */
const reason = "state the reason here";

/** Returns the edit; `undefined` if no comment is possible at that place. */
export function suppressionEdit({ code, span }: Diagnostic): TextEdit | undefined {
  const { file } = span.source;
  const { start } = offsetsOf(span);
  return isJson(file) ? jsonEntry(file, start, code) : commentAbove(file, start, code);
}

function commentAbove(file: SourceFile, offset: number, code: string): TextEdit | undefined {
  const lineStart = file.text.lastIndexOf("\n", offset - 1) + 1;
  const indent = /^[ \t]*/.exec(file.text.slice(lineStart, offset))?.[0] ?? "";
  const newline = file.text.includes("\r\n") ? "\r\n" : "\n";
  // In a quoted text with several lines, a comment would be part of the text.
  if (isInFlowText(file.text.slice(lineStart, offset))) return undefined;
  const newText = `${indent}# sluice-ignore ${code}: ${reason}${newline}`;
  return { range: rangeIn(file, lineStart, lineStart), newText };
}

/** Whether a position is inside quotes, as far as its line shows. */
function isInFlowText(before: string): boolean {
  const quotes = before.replace(/\\./g, "").match(/"/g)?.length ?? 0;
  return quotes % 2 === 1 && !/[:[{,-]\s*"[^"]*$|(?:=|\(|\.|\s)"[^"]*$/.test(before);
}

/** Returns the edit that adds an entry to the innermost object around the place. */
function jsonEntry(file: SourceFile, offset: number, code: string): TextEdit | undefined {
  const brace = enclosingBrace(file.text, offset);
  if (brace === undefined) return undefined;
  const known = ignoreListIn(file.text, brace);
  if (known !== undefined) {
    const isEmpty = /^\s*\]/.test(file.text.slice(known));
    const newText = `${JSON.stringify({ code, reason })}${isEmpty ? "" : ", "}`;
    return { range: rangeIn(file, known, known), newText };
  }
  const after = /^\s*/.exec(file.text.slice(brace + 1))?.[0] ?? "";
  const entry = JSON.stringify({ [ignoreKey]: [{ code, reason }] }).slice(1, -1);
  const isEmpty = file.text[brace + 1 + after.length] === "}";
  return { range: rangeIn(file, brace + 1, brace + 1), newText: `${after}${entry}${isEmpty ? "" : ","}` };
}

/** Returns the offset after the `[` of existing suppressions in the object at `brace`. */
function ignoreListIn(text: string, brace: number): number | undefined {
  let depth = 0;
  for (const match of text.slice(brace).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    const [token] = match;
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth === 0) return undefined;
    const end = brace + match.index + token.length;
    const list = /^\s*:\s*\[/.exec(text.slice(end, end + 100));
    if (depth === 1 && token === JSON.stringify(ignoreKey) && list !== null) return end + list[0].length;
  }
  return undefined;
}

/** Returns the offset of the `{` of the object around a place; ignores strings. */
function enclosingBrace(text: string, offset: number): number | undefined {
  const open: number[] = [];
  // The place may be inside a string, which may contain brackets.
  for (const { 0: token, index } of text.slice(0, offset).matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}]/g)) {
    if (token === "{") open.push(index);
    else if (token === "}") open.pop();
  }
  return open.at(-1);
}
