// Parts of a document that belong together, for folding and for expanding a selection.

import { type FoldingRange, FoldingRangeKind, type Range, type SelectionRange } from "vscode-languageserver";
import { offsetsOf } from "../../compiler/source/source.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import type { MappingNode } from "../../compiler/trees/mapping.ts";
import { childrenOf } from "../../compiler/trees/walk.ts";
import { type Analysis, dialectOf, documentAt } from "../analysis/analysis.ts";
import { type DocumentPlace, placeAt } from "../analysis/document-place.ts";
import { contains, rangeIn, rangeOf } from "../analysis/positions.ts";
import { nodesAt, scriptAt, treeOf } from "../analysis/scripts.ts";
import { absolutePath } from "../workspace/paths.ts";

/** The size of a document in characters above which the editor folds by indentation itself. */
const largeText = 1_000_000;

/**
 * Returns parts of documents and scripts with several lines; of several parts that begin on one line, only the
 * outermost.
 */
export function foldingRanges(analysis: Analysis, path: string): readonly FoldingRange[] {
  const document = documentAt(analysis, path);
  if (document !== undefined && document.file.text.length > largeText) return [];
  const found = new Map<number, FoldingRange>();
  if (document !== undefined) addParts(document.root, found);
  for (const { field } of analysis.scripts) {
    const tree = treeOf(field);
    if (absolutePath(tree.span.source.file.path) === path) addBlocks(tree, found);
  }
  return [...found.values()];
}

/** Adds statements, objects, calls and other nodes. The last line, which closes a bracket, stays visible. */
function addBlocks(tree: MappingNode, found: Map<number, FoldingRange>): void {
  for (const child of childrenOf(tree)) {
    const { start, end } = rangeOf(child.span);
    if (end.line > start.line && !found.has(start.line)) {
      const { text } = child.span.source;
      const isClosed = /[)\]}]/.test(text.charAt(child.span.end - 1)) && end.line - 1 > start.line;
      const endLine = isClosed ? end.line - 1 : end.line;
      found.set(start.line, { startLine: start.line, endLine, kind: FoldingRangeKind.Region });
    }
    addBlocks(child, found);
  }
}

/** Adds objects, lists and texts, each from the line of its key. */
function addParts(root: DocumentNode, found: Map<number, FoldingRange>): void {
  const visit = (node: DocumentNode, startLine: number): void => {
    const { end } = rangeOf(node.span);
    const endLine = end.character === 0 && end.line > startLine ? end.line - 1 : end.line;
    if (endLine > startLine) found.set(startLine, { startLine, endLine, kind: FoldingRangeKind.Region });
    if (node.kind === "list") for (const item of node.items) visit(item, rangeOf(item.span).start.line);
    if (node.kind === "map")
      for (const { keySpan, value } of node.entries) {
        // The content of an alias is elsewhere.
        if (offsetsOf(value.span).start >= offsetsOf(keySpan).start)
          visit(value, rangeOf(keySpan).start.line);
      }
  };
  if (root.kind === "map")
    for (const { keySpan, value } of root.entries) visit(value, rangeOf(keySpan).start.line);
}

type Offsets = ReturnType<typeof offsetsOf>;

/** Returns the ranges around a place, the innermost first. */
export function selectionAt(analysis: Analysis, path: string, offset: number): SelectionRange | undefined {
  const script = scriptAt(analysis, path, offset);
  const spans = script === undefined ? [] : nodesAt(treeOf(script.field), offset).map(({ span }) => span);
  const document = documentAt(analysis, path);
  const components = dialectOf(analysis).components;
  const around: Offsets[] = [];
  for (
    let place: DocumentPlace | undefined = document && placeAt(document.root, offset, components);
    place !== undefined;
    place = place.parent
  ) {
    const own = offsetsOf(place.node.span);
    around.unshift(own);
    if (place.entry !== undefined)
      around.unshift({ start: offsetsOf(place.entry.keySpan).start, end: own.end });
  }
  const file = document?.file ?? spans[0]?.source.file;
  if (file === undefined) return undefined;
  let selection: SelectionRange | undefined;
  for (const { start, end } of [...around, ...spans.map(offsetsOf)]) {
    // The last key before a place does not necessarily contain it.
    if (offset < start || offset > end) continue;
    const range = rangeIn(file.file, start, end);
    if (selection !== undefined && (!contains(selection.range, range) || isSame(selection.range, range)))
      continue;
    selection = { range, ...(selection && { parent: selection }) };
  }
  return selection;
}

function isSame(one: Range, other: Range): boolean {
  return contains(one, other) && contains(other, one);
}
