// Adds values to JSON texts. All else keeps its bytes.

import { isMap, isPair, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";

/** Whether a text is JSON, and not other YAML. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a JSON text with `value` at `place`, which does not exist, or at the end of the list at `place`. Creates missing
 * maps on the way. Returns `undefined` if something else is there.
 */
export function withJsonValue(text: string, place: readonly string[], value: unknown): string | undefined {
  const document = parseDocument(text);
  const depth = place.findIndex((_, index) => !document.hasIn(place.slice(0, index + 1)));
  if (depth === -1) {
    const list = document.getIn(place, true);
    return isSeq(list) ? appended(text, list, "", value) : undefined;
  }
  const map = depth === 0 ? document.contents : document.getIn(place.slice(0, depth), true);
  const nested = place.slice(depth + 1).reduceRight((inner, key) => ({ [key]: inner }), value);
  return isMap(map) ? appended(text, map, `${JSON.stringify(place[depth])}: `, nested) : undefined;
}

/** Appends to a map or list in the layout of its first entry. */
function appended(text: string, { items, range }: YAMLMap | YAMLSeq, label: string, value: unknown): string {
  const [start, end] = range ?? [0, 0];
  const [first, last] = [startOf(items[0]), endOf(items.at(-1))];
  if (first === undefined || last === undefined) {
    const inner = ` ${label}${JSON.stringify(value)} `;
    return text.slice(0, start + 1) + inner + text.slice(end - 1);
  }
  const indent = text.slice(text.lastIndexOf("\n", first) + 1, first);
  const isOnOwnLine = /^[ \t]*$/.test(indent);
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", start) + 1))?.[0] ?? "";
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const json = isOnOwnLine
    ? JSON.stringify(value, undefined, indent.slice(outer.length) || 2).replaceAll("\n", newline + indent)
    : JSON.stringify(value);
  return `${text.slice(0, last)},${isOnOwnLine ? newline + indent : " "}${label}${json}${text.slice(last)}`;
}

function startOf(item: unknown): number | undefined {
  return rangeOf(isPair(item) ? item.key : item)?.[0];
}

function endOf(item: unknown): number | undefined {
  return rangeOf(isPair(item) ? item.value : item)?.[1];
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  return (isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined) ?? undefined;
}
