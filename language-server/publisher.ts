// Diagnostics to the editor: pushed, of each file whose diagnostics are others than it was told; or as reports to editors that
// ask for them. Such an editor asks for its open documents, and gets those of other files pushed until it asks for the workspace.

import {
  type Connection,
  type Diagnostic,
  type DocumentDiagnosticReport,
  DocumentDiagnosticReportKind,
  type WorkspaceDiagnosticReport,
} from "vscode-languageserver";
import { diagnosticsByFile } from "./capabilities/diagnostics.ts";
import type { PositionEncoding } from "./encoding.ts";
import { pathOfUri } from "./workspace/paths.ts";
import type { OpenTexts } from "./workspace/texts.ts";
import type { Unit } from "./workspace/unit.ts";

/** What publishing depends on in the editor. */
export interface DiagnosticsClient {
  readonly encoding: PositionEncoding;
  /** Whether it asks for the diagnostics of open documents. */
  readonly pulls: boolean;
  /** Whether it asks again after a refresh request (`workspace/diagnostic/refresh`). */
  readonly refreshes: boolean;
}

/** Tells an editor what is wrong. */
export interface Publisher {
  /** Something was checked. */
  checked(units: readonly Unit[]): void;
  report(path: string, units: readonly Unit[], previous: string | undefined): DocumentDiagnosticReport;
  reportAll(
    units: readonly Unit[],
    previous: readonly { readonly uri: string; readonly value: string }[],
  ): WorkspaceDiagnosticReport;
}

/** Publishes what is wrong in all units. */
export function createPublisher(
  connection: Pick<Connection, "sendDiagnostics"> & {
    readonly languages: { readonly diagnostics: Pick<Connection["languages"]["diagnostics"], "refresh"> };
  },
  texts: OpenTexts,
  reader: () => DiagnosticsClient,
): Publisher {
  const published = new Map<string, string>();
  /** What was reported last of a file, and of which version of it. */
  const reported = new Map<
    string,
    { readonly state: string; readonly id: string; readonly version: number | undefined }
  >();
  let asksForAll = false;
  let count = 0;

  const push = (path: string, found: readonly Diagnostic[]): void => {
    const open = texts.find(path);
    const uri = texts.uriOf(path);
    const diagnostics = reader().encoding.toEditor([...found], uri);
    const state = JSON.stringify([uri, open?.version, diagnostics]);
    if (published.get(path) === state) return;
    if (diagnostics.length === 0 && open === undefined) published.delete(path);
    else published.set(path, state);
    void connection.sendDiagnostics({ uri, ...(open && { version: open.version }), diagnostics });
  };

  const reportOf = (path: string, found: readonly Diagnostic[], previous: string | undefined) => {
    const uri = texts.uriOf(path);
    const version = texts.find(path)?.version;
    const items = reader().encoding.toEditor([...found], uri);
    const state = JSON.stringify(found);
    const last = reported.get(path);
    const id = last?.state === state ? last.id : `${++count}`;
    reported.set(path, { state, id, version });
    const { Full, Unchanged } = DocumentDiagnosticReportKind;
    return id === previous
      ? ({ kind: Unchanged, resultId: id } as const)
      : ({ kind: Full, resultId: id, items } as const);
  };

  /** Whether a file that was reported has other diagnostics now although the editor did not change it. */
  const isOutdated = (found: ReadonlyMap<string, readonly Diagnostic[]>): boolean =>
    [...reported].some(
      ([path, { state, version }]) =>
        texts.find(path)?.version === version && JSON.stringify(found.get(path) ?? []) !== state,
    );

  return {
    checked(units) {
      const found = diagnosticsByFile(units, texts);
      const { pulls, refreshes } = reader();
      const outdated = outdatedPaths(units);
      for (const path of new Set([...published.keys(), ...found.keys(), ...openPaths(units, texts)])) {
        // What was found of an older text is not that of the open version; the check that is due publishes.
        if (outdated.has(path) && texts.find(path) !== undefined) continue;
        const isPulled = pulls && (asksForAll || texts.find(path) !== undefined);
        if (!isPulled) push(path, found.get(path) ?? []);
        else if (published.has(path)) retract(path);
      }
      if (pulls && refreshes && isOutdated(found)) connection.languages.diagnostics.refresh();
    },
    report: (path, units, previous) =>
      reportOf(path, diagnosticsByFile(units, texts).get(path) ?? [], previous),
    reportAll(units, previous) {
      asksForAll = true;
      for (const path of published.keys()) retract(path);
      const before = new Map(previous.map(({ uri, value }) => [pathOfUri(uri), value]));
      const found = diagnosticsByFile(units, texts);
      const items = [...new Set([...found.keys(), ...before.keys()])].map((path) => ({
        uri: texts.uriOf(path),
        version: texts.find(path)?.version ?? null,
        ...reportOf(path, found.get(path) ?? [], before.get(path)),
      }));
      return { items };
    },
  };

  /** What was pushed is a report now, and must not be shown twice. */
  function retract(path: string): void {
    published.delete(path);
    void connection.sendDiagnostics({ uri: texts.uriOf(path), diagnostics: [] });
  }
}

/** Files that a check is due of. Unit tests say nothing of the documents that they are about. */
function outdatedPaths(units: readonly Unit[]): ReadonlySet<string> {
  const stale = units.filter(({ isStale }) => isStale);
  return new Set(
    stale.flatMap(({ path, analysis, dependencies }) =>
      analysis?.tests === undefined ? [...dependencies] : [path],
    ),
  );
}

/** Open documents that were checked: that nothing is wrong with a new text is news. */
function openPaths(units: readonly Unit[], texts: OpenTexts): readonly string[] {
  return units
    .filter(({ isStale }) => !isStale)
    .flatMap(({ dependencies }) => [...dependencies].filter((path) => texts.find(path) !== undefined));
}
