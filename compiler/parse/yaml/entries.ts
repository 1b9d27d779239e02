// The entries of a YAML map: keys as text, each once, `<<` replaced by the entries it brings.

import { isAlias, isScalar, type Pair, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, MapEntry, MapNode } from "../../trees/document.ts";

/**
 * The entries in the order written; merged ones stand where `<<` stood and give way to the map's own.
 * `buildValue` is called once for each pair, in order.
 */
export function createEntries(
  file: SourceText,
  map: YAMLMap.Parsed,
  report: Report,
  buildValue: (pair: Pair) => DocumentNode,
): readonly MapEntry[] {
  const entries: (MapEntry & { readonly isMerged?: boolean })[] = [];
  const own = new Map<string, Span>();
  for (const pair of map.items) {
    const value = buildValue(pair);
    if (isMergeKey(pair.key)) {
      for (const entry of findMerged(value, pair, file, report)) entries.push({ ...entry, isMerged: true });
      continue;
    }
    const key = readKey(file, pair.key, report);
    if (key === undefined) continue;
    const first = own.get(key.text);
    if (first === undefined) {
      own.set(key.text, key.span);
      entries.push({ key: key.text, keySpan: key.span, value });
    } else {
      report("GW1012", key.span, { key: key.text }, { span: first, message: "The first one is here." });
    }
  }
  return entries.some((entry) => entry.isMerged) ? settleMerged(entries, own) : entries;
}

/** Own entries win over merged ones, earlier merged ones over later. */
function settleMerged(
  entries: readonly (MapEntry & { readonly isMerged?: boolean })[],
  own: ReadonlyMap<string, Span>,
): readonly MapEntry[] {
  const merged = new Set<string>();
  return entries.flatMap(({ isMerged, ...entry }) => {
    if (isMerged !== true) return [entry];
    if (own.has(entry.key) || merged.has(entry.key)) return [];
    merged.add(entry.key);
    return [entry];
  });
}

function findMerged(value: DocumentNode, pair: Pair, file: SourceText, report: Report): readonly MapEntry[] {
  const sources = value.kind === "list" ? value.items : [value];
  const isEveryMap = sources.every((source): source is MapNode => source.kind === "map");
  if (isEveryMap) return sources.flatMap((source) => source.entries);
  // An alias that led nowhere was reported as such.
  if (isAlias(pair.value) && value.kind === "scalar" && value.value === null) return [];
  report("GW1017", spanOfNode(file, pair.value), {});
  return [];
}

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key)) return false;
  return typeof key.value === "symbol" || (key.type === Scalar.PLAIN && key.value === "<<");
}

/** Keys are texts in JSON: a response code `200` becomes `"200"`, as written. */
function readKey(
  file: SourceText,
  key: unknown,
  report: Report,
): { readonly text: string; readonly span: Span } | undefined {
  if (!isScalar(key) || !key.range) {
    const span = spanOfNode(file, key);
    // `{{ NAME }}`, as templates of other tools have it.
    const isPlaceholder = file.text.charAt(span.start) === "{" && file.text.charAt(span.start - 1) === "{";
    report("GW1016", span, { isPlaceholder });
    return undefined;
  }
  const isQuoted = key.type === Scalar.QUOTE_SINGLE || key.type === Scalar.QUOTE_DOUBLE;
  const margin = isQuoted ? 1 : 0;
  const span = spanOf(file, key.range[0] + margin, key.range[1] - margin);
  return { text: typeof key.value === "string" ? key.value : (key.source ?? ""), span };
}

function spanOfNode(file: SourceText, node: unknown): Span {
  const range = (node as ParsedNode | null)?.range;
  if (!range) return spanOf(file, 0, 0);
  return spanOf(file, range[0], range[0] + file.text.slice(range[0], range[1]).trimEnd().length);
}
