// Sends diagnostics to the editor: pushed for each file whose diagnostics have changed, or as reports to editors that
// request them. Such an editor requests them for its open documents; those of other files are pushed until it
// requests the whole workspace.

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

/** The editor's properties that affect publishing. */
export interface DiagnosticsClient {
  readonly encoding: PositionEncoding;
  /** Whether it requests the diagnostics of open documents. */
  readonly pulls: boolean;
  /** Whether it requests them again after a refresh request (`workspace/diagnostic/refresh`). */
  readonly refreshes: boolean;
}

/** Sends diagnostics to an editor. */
export interface Publisher {
  /** Called after a check. */
  checked(units: readonly Unit[]): void;
  /** Returns the diagnostics of a file, with positions of the server. */
  report(path: string, units: readonly Unit[], previous: string | undefined): DocumentDiagnosticReport;
  /** Returns those of all files, with positions of the server. */
  reportAll(
    units: readonly Unit[],
    previous: readonly { readonly uri: string; readonly value: string }[],
  ): WorkspaceDiagnosticReport;
}

/** Returns a publisher of the diagnostics of all units. */
export function createPublisher(
  connection: Pick<Connection, "sendDiagnostics"> & {
    readonly languages: { readonly diagnostics: Pick<Connection["languages"]["diagnostics"], "refresh"> };
  },
  texts: OpenTexts,
  reader: () => DiagnosticsClient,
): Publisher {
  const published = new Map<string, string>();
  /** The last report of each file, and the version of the file that it belongs to. */
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
    const version = texts.find(path)?.version;
    const items = [...found];
    const state = JSON.stringify(found);
    const last = reported.get(path);
    const id = last?.state === state ? last.id : `${++count}`;
    reported.set(path, { state, id, version });
    const { Full, Unchanged } = DocumentDiagnosticReportKind;
    return id === previous
      ? ({ kind: Unchanged, resultId: id } as const)
      : ({ kind: Full, resultId: id, items } as const);
  };

  /** Whether a reported file has other diagnostics now although the editor did not change the file. */
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
        // Diagnostics of an older text do not apply to the open version; the pending check publishes the new ones.
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

  /** Removes pushed diagnostics that are now reported on request, so that they are not shown twice. */
  function retract(path: string): void {
    published.delete(path);
    void connection.sendDiagnostics({ uri: texts.uriOf(path), diagnostics: [] });
  }
}

/** Returns the files with a pending check. A unit of unit tests provides no diagnostics for the tested documents. */
function outdatedPaths(units: readonly Unit[]): ReadonlySet<string> {
  const stale = units.filter(({ isStale }) => isStale);
  return new Set(
    stale.flatMap(({ path, analysis, dependencies }) =>
      analysis?.tests === undefined ? [...dependencies] : [path],
    ),
  );
}

/** Returns the open documents that were checked: an editor must also learn that a new text has no problems. */
function openPaths(units: readonly Unit[], texts: OpenTexts): readonly string[] {
  return units
    .filter(({ isStale }) => !isStale)
    .flatMap(({ dependencies }) => [...dependencies].filter((path) => texts.find(path) !== undefined));
}
