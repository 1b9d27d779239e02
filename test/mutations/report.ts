import type { Attempt, KindResult } from "./find-mistakes.ts";

/** Returns the share of attempts that the checker found, from 0 to 1. */
export function shareOf(attempts: readonly Attempt[]): number {
  return attempts.filter(({ isFound }) => isFound).length / attempts.length;
}

/** Returns a line for each kind, with the missed mistakes below it if `MISSED` is set, and the total share. */
export function renderReport(results: readonly KindResult[]): string {
  const all = results.flatMap(({ attempts }) => attempts);
  const found = all.filter(({ isFound }) => isFound).length;
  const total = `${results.length} kinds, ${found}/${all.length} found on the right line: ${percent(all)}`;
  return [...results.map(renderKind), total].join("\n");
}

function renderKind({ kind, attempts }: KindResult): string {
  const found = attempts.filter(({ isFound }) => isFound).length;
  const missed = process.env.MISSED === undefined ? [] : attempts.filter(({ isFound }) => !isFound);
  const count = `${found}/${attempts.length}`.padStart(9);
  return [`${count} ${percent(attempts)} ${kind}`, ...missed.map(renderMissed)].join("\n");
}

function renderMissed({ document, place, before, after, reported }: Attempt): string {
  const shown = (text: string) => JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}…` : text);
  return `            ${document}/${place}: ${shown(before)} -> ${shown(after)}; reported: ${reported.slice(0, 4).join(", ") || "nothing"}`;
}

function percent(attempts: readonly Attempt[]): string {
  return `${(shareOf(attempts) * 100).toFixed(0).padStart(3)} %`;
}
