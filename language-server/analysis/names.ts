// Collects all names in the documents of an analysis with their declarations and uses: variables and maps of scripts,
// resources of streams, components of OpenAPI documents, policies and APIs of a set, topics of brokers, YAML anchors,
// files.

import { createSourceFile, offsetsOf, type Span, spanOf } from "../../compiler/source/source.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { Analysis } from "./analysis.ts";
import { collectAnchors } from "./anchors.ts";
import { CollectedNames, type Named } from "./collected-names.ts";
import {
  collectDestinations,
  collectReferences,
  collectResources,
  collectSetNames,
} from "./document-names.ts";

import { namedFiles } from "./named-files.ts";
import { collectFields, collectMapping, collectParameters } from "./script-names.ts";
import { treeOf } from "./scripts.ts";

/**
 * The size of a document in characters above which it is not searched for references: the whole document would have
 * to be read.
 */
const largeText = 1_000_000;

const known = new WeakMap<Analysis, readonly Named[]>();

/** Returns all names of an analysis. */
export function namesIn(analysis: Analysis): readonly Named[] {
  const found = known.get(analysis) ?? collect(analysis);
  known.set(analysis, found);
  return found;
}

const quotes = "\"'";

/** The signs before a name that count as part of it for the pointer. */
const signs: Partial<Record<Named["kind"], string>> = { variable: "$", file: quotes };

/** Returns the element whose name is at an offset of a file, and the source range of that name. */
export function namedAt(
  analysis: Analysis,
  path: string,
  offset: number,
): { readonly named: Named; readonly span: Span } | undefined {
  for (const named of namesIn(analysis)) {
    const span = [...named.declarations, ...named.uses].find((each) => {
      const { start, end } = offsetsOf(each);
      const { file } = each.source;
      if (absolutePath(file.path) !== path) return false;
      const [before = "", after = ""] = [file.text[start - 1], file.text[end]];
      // A pointer on the sign of `$name` counts as on the name, and a pointer on a quote of a path as on the path.
      const from = signs[named.kind]?.includes(before) ? start - before.length : start;
      const to = named.kind === "file" && quotes.includes(after) ? end + after.length : end;
      return offset >= from && offset <= to;
    });
    if (span !== undefined) return { named, span };
  }
  return undefined;
}

function collect(analysis: Analysis): readonly Named[] {
  const names = new CollectedNames();
  for (const { field, scope } of analysis.scripts) {
    const tree = treeOf(field);
    if (tree.kind === "Mapping") collectMapping(tree, scope, names);
    else collectParameters(tree, names);
  }
  for (const { field, types } of analysis.scripts) collectFields(treeOf(field), types, names);
  collectResources(analysis, names);
  collectSetNames(analysis, names);
  collectDestinations(analysis, names);
  for (const { file, root } of analysis.set?.documents ?? []) {
    if (file.text.length > largeText) continue;
    collectReferences(root, file.path, root, analysis, names);
    collectAnchors(file, names);
  }
  for (const { target, span, pathSpan } of namedFiles(analysis)) {
    names.declare("file", "", target, startOf(target));
    names.use("file", "", target, pathSpan ?? span);
  }
  return names.list();
}

/** Returns the beginning of a file that has not been read. */
export function startOf(path: string): Span {
  return spanOf(createSourceFile(path, ""), 0, 0);
}
