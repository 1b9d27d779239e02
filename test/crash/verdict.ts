import type { FaultKind } from "./faults.ts";
import type { PairResult } from "./run-pair.ts";

/** Returns what is wrong with a result; empty if nothing was lost and the faults explain all duplicates. */
export function complaints({
  pair,
  lost,
  duplicates,
  overtaken,
  allowed,
  remaining,
  exits,
}: PairResult): string[] {
  const found: string[] = [];
  if (lost.length > 0) found.push(`${lost.length} messages lost, among them ${lost.slice(0, 10).join(", ")}`);
  if (duplicates > allowed) found.push(`${duplicates} duplicates, of which ${allowed} can be explained`);
  if (overtaken > 0) found.push(`${overtaken} messages arrived behind a later one of their key`);
  if (remaining > 0) found.push(`${remaining} messages not confirmed to the source after a peaceful end`);
  const bad = exits.filter((exit) => exit !== 0);
  if (bad.length > 0) found.push(`SIGTERM ended the gateway with ${bad.join(", ")}`);
  return found.map((text) => `${pair}: ${text}`);
}

/** Renders all results as one table. */
export function renderTable(results: readonly PairResult[]): string {
  const rows = results.map(({ pair, messages, faults, lost, duplicates, lapses, allowed, seconds }) => [
    pair,
    messages,
    count(faults, "kill"),
    count(faults, "terminate"),
    count(faults, "restart"),
    count(faults, "cut"),
    lapses,
    lost.length,
    duplicates,
    allowed,
    `${seconds.toFixed(0)} s`,
  ]);
  const head = [
    "pair",
    "messages",
    "SIGKILL",
    "SIGTERM",
    "restarts",
    "cuts",
    "lapses",
    "lost",
    "duplicates",
    "allowed",
    "time",
  ];
  return renderRows([head, ...rows]);
}

/** Aligns the columns of rows: the first to the left, the others to the right. */
export function renderRows(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => `${row[column]}`.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? `${cell}`.padEnd(widths[column] ?? 0) : `${cell}`.padStart(widths[column] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}

function count(faults: readonly FaultKind[], kind: string): number {
  return faults.filter((fault) => fault.startsWith(kind)).length;
}
