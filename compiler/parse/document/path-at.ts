// From a place in a document to the path of the value that stands there.

import type { DocumentNode, MapEntry } from "../../trees/document.ts";

/** `streams.intake.input.kafka.topics[0]` for an offset in the file of `root`; empty before the first key. */
export function pathAt(root: DocumentNode, offset: number): string {
  let path = "";
  let at: DocumentNode | undefined = root;
  while (at !== undefined) {
    if (at.kind === "map") {
      const entry: MapEntry | undefined = at.entries.findLast(({ keySpan }) => beginsBefore(keySpan, offset));
      if (entry !== undefined) path += path === "" ? entry.key : `.${entry.key}`;
      at = entry?.value;
    } else if (at.kind === "list") {
      const index: number = at.items.findLastIndex(({ span }) => beginsBefore(span, offset));
      if (index >= 0) path += `[${index}]`;
      at = at.items[index];
    } else at = undefined;
  }
  return path;
}

function beginsBefore({ source, start }: DocumentNode["span"], offset: number): boolean {
  return source.offsetInFile(start) <= offset;
}
