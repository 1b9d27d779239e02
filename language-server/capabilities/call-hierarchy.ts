// Shows connections between streams over topics, queues and channels: which streams write what a stream reads, and
// the reverse.

import {
  type CallHierarchyIncomingCall,
  type CallHierarchyItem,
  type CallHierarchyOutgoingCall,
  SymbolKind,
} from "vscode-languageserver";
import type { StreamNode } from "../../compiler/trees/api.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { type Destination, destinationsOf, meets } from "../analysis/destinations.ts";
import { isWithin, rangeOf } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { OpenTexts } from "../workspace/texts.ts";

/** Returns the stream around an offset of a document. */
export function prepareCalls(
  { set }: Analysis,
  path: string,
  offset: number,
  texts: OpenTexts,
): readonly CallHierarchyItem[] {
  const streams = set?.apis.flatMap((api) => api.streams) ?? [];
  const around = streams
    .filter(({ nameSpan }) => pathOf(nameSpan) === path)
    .find(({ nameSpan, node }) =>
      [nameSpan, node.span].some((span) => isWithin(span, offset) && pathOf(span) === path),
    );
  return around === undefined ? [] : [itemOf(around, [], texts)];
}

/** Returns the streams that write to the destinations that a stream reads. */
export function incomingCalls(
  analysis: Analysis,
  item: CallHierarchyItem,
  texts: OpenTexts,
): readonly CallHierarchyIncomingCall[] {
  const all = destinationsOf(analysis);
  const own = all.filter(({ stream }) => isSame(stream, item, texts));
  const writers = all.filter((each) => own.some((reader) => meets(each, reader)));
  return groups(writers).map(([stream, places]) => ({
    from: itemOf(stream, places, texts),
    fromRanges: places.filter(isInFileOf(stream)).map(({ span }) => rangeOf(span)),
  }));
}

/** Returns the streams that read the destinations that a stream writes to. */
export function outgoingCalls(
  analysis: Analysis,
  item: CallHierarchyItem,
  texts: OpenTexts,
): readonly CallHierarchyOutgoingCall[] {
  const all = destinationsOf(analysis);
  const own = all.filter(({ stream }) => isSame(stream, item, texts));
  const readers = all.filter((each) => own.some((writer) => meets(writer, each)));
  return groups(readers).map(([stream, places]) => {
    const through = own.filter((writer) => places.some((reader) => meets(writer, reader)));
    return {
      to: itemOf(stream, places, texts),
      fromRanges: through.filter((each) => isInFileOf(each.stream)(each)).map(({ span }) => rangeOf(span)),
    };
  });
}

function groups(found: readonly Destination[]): readonly (readonly [StreamNode, readonly Destination[]])[] {
  return [...Map.groupBy(found, ({ stream }) => stream)];
}

/** Excludes destinations that a reference includes in the stream: they are in another file than the stream's name. */
function isInFileOf({ nameSpan }: StreamNode) {
  return ({ span }: Destination): boolean => pathOf(span) === pathOf(nameSpan);
}

function isSame({ nameSpan }: StreamNode, item: CallHierarchyItem, texts: OpenTexts): boolean {
  const { start } = rangeOf(nameSpan);
  const { line, character } = item.selectionRange.start;
  return texts.uriOf(pathOf(nameSpan)) === item.uri && start.line === line && start.character === character;
}

function itemOf(
  { name, nameSpan, node }: StreamNode,
  places: readonly Destination[],
  texts: OpenTexts,
): CallHierarchyItem {
  const own = rangeOf(nameSpan);
  const whole = rangeOf(node.span);
  const isBelow = pathOf(node.span) === pathOf(nameSpan) && whole.end.line >= own.end.line;
  const detail = [...new Set(places.map((place) => place.name))].join(", ");
  return {
    name: name === "" ? "(unnamed)" : name,
    kind: SymbolKind.Class,
    uri: texts.uriOf(pathOf(nameSpan)),
    range: isBelow ? { start: own.start, end: whole.end } : own,
    selectionRange: own,
    ...(detail !== "" && { detail }),
  };
}

function pathOf(span: StreamNode["nameSpan"]): string {
  return absolutePath(span.source.file.path);
}
