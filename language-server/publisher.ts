// Diagnostics to the editor: of each file whose diagnostics are others than it was told, and none for those that have none
// any more.

import type { Connection } from "vscode-languageserver";
import { diagnosticsByFile } from "./capabilities/diagnostics.ts";
import type { OpenTexts } from "./workspace/texts.ts";
import type { Unit } from "./workspace/unit.ts";

/** Publishes what is wrong in all units. */
export function createPublisher(
  connection: Pick<Connection, "sendDiagnostics">,
  texts: OpenTexts,
): (units: readonly Unit[]) => void {
  const published = new Map<string, string>();
  return (units) => {
    const found = diagnosticsByFile(units, texts);
    for (const path of new Set([...published.keys(), ...found.keys(), ...openPaths(units, texts)])) {
      const diagnostics = [...(found.get(path) ?? [])];
      const open = texts.find(path);
      const uri = texts.uriOf(path);
      const state = JSON.stringify([uri, open?.version, diagnostics]);
      if (published.get(path) === state) continue;
      if (diagnostics.length === 0 && open === undefined) published.delete(path);
      else published.set(path, state);
      void connection.sendDiagnostics({ uri, ...(open && { version: open.version }), diagnostics });
    }
  };
}

/** Open documents that were checked: that nothing is wrong with a new text is news. */
function openPaths(units: readonly Unit[], texts: OpenTexts): readonly string[] {
  return units
    .filter(({ isStale }) => !isStale)
    .flatMap(({ dependencies }) => [...dependencies].filter((path) => texts.find(path) !== undefined));
}
