// Updates documents when files are renamed or moved: the paths by which other documents refer to them, and the paths
// that they contain themselves.

import { posix } from "node:path";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver";
import { findFileRange } from "../../compiler/diagnostics/fixes/file-range.ts";
import { folderOf } from "../../compiler/parse/document/paths.ts";
import { spanOf } from "../../compiler/source/source.ts";
import { type NamedFile, namedFiles } from "../analysis/named-files.ts";
import { rangeIn } from "../analysis/positions.ts";
import { absolutePath, pathOfUri } from "../workspace/paths.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** A file or folder that gets another URI. */
interface Renamed {
  readonly oldUri: string;
  readonly newUri: string;
}

/** Returns the edits; the files in them have their names from before the rename. */
export async function fileRenameEdits(
  renamed: readonly Renamed[],
  { texts, readersOf }: Pick<Workspace, "texts" | "readersOf">,
): Promise<WorkspaceEdit | null> {
  const moves = renamed.map(({ oldUri, newUri }) => ({ from: pathOfUri(oldUri), to: pathOfUri(newUri) }));
  const moved = (path: string): string => {
    const move = moves.find(({ from }) => path === from || path.startsWith(`${from}/`));
    return move === undefined ? path : move.to + path.slice(move.from.length);
  };
  const analyses = new Set((await Promise.all(moves.map(({ from }) => readersOf(from)))).flat());
  const changes = new Map<string, Map<string, TextEdit>>();
  for (const each of [...analyses].flatMap(namedFiles)) {
    const edit = editOf(each, moved);
    if (edit === undefined) continue;
    const uri = texts.uriOf(absolutePath(each.span.source.file.path));
    const edits = changes.get(uri) ?? new Map<string, TextEdit>();
    changes.set(uri, edits.set(JSON.stringify(edit.range), edit));
  }
  const all = [...changes].map(([uri, edits]) => [uri, [...edits.values()]]);
  return all.length === 0 ? null : { changes: Object.fromEntries(all) };
}

/**
 * Returns the edit of one path; `undefined` if the path stays valid, or is written with escapes and cannot be
 * replaced.
 */
function editOf(named: NamedFile, moved: (path: string) => string): TextEdit | undefined {
  const { target, written, pathSpan, form } = named;
  const found = pathSpan && findFileRange(pathSpan);
  if (found === undefined || pathSpan === undefined) return undefined;
  const own = absolutePath(found.file.path);
  if (moved(own) === own && moved(target) === target) return undefined;
  const path = spelt(moved(own), moved(target), written);
  if (path === written) return undefined;
  const edit = (newText: string, { file, start, end } = found) => ({
    range: rangeIn(file, start, end),
    newText,
  });
  if (form === "reference") return edit(encodeURI(path).replaceAll("#", "%23"));
  // A mapping may be inside quotes of the document, which would need further escapes.
  if (form === "import") return /["'\\]/.test(path) ? undefined : edit(path);
  const quote = found.file.text[found.start - 1];
  if (quote === "'") return edit(path.replaceAll("'", "''"));
  if (quote === '"') return edit(JSON.stringify(path).slice(1, -1));
  if (/^[\w.][\w ./-]*$/u.test(path)) return edit(path);
  const { source, start, end } = pathSpan;
  const whole = findFileRange(spanOf(source, start, source.text.length));
  return whole && edit(JSON.stringify(path + source.text.slice(end)), whole);
}

/** Returns a path in the style of the document: absolute, or relative with or without `./`. */
function spelt(from: string, to: string, before: string): string {
  if (posix.isAbsolute(before)) return to;
  const path = posix.relative(folderOf(from), to);
  return before.startsWith("./") && !path.startsWith("../") ? `./${path}` : path;
}
