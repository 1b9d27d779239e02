import { partOf } from "./directions.ts";
import type { Source } from "./sources.ts";

/**
 * Each cycle of imports that exists at run time, and each that runs over types and leaves its folder, as
 * `a.ts -> b.ts -> a.ts`.
 */
export function findCycles(sources: readonly Source[]): string[] {
  const atRunTime = cyclesOf(sources, (kind) => kind !== "type");
  const acrossParts = cyclesOf(sources, () => true).filter(
    (cycle) => new Set(cycle.map((file) => partOf(file))).size > 1,
  );
  const rendered = [...atRunTime, ...acrossParts].map((cycle) => [...cycle, cycle[0]].join(" -> "));
  return [...new Set(rendered)];
}

/** One cycle through each group of files that reach each other. */
function cyclesOf(sources: readonly Source[], counts: (kind: string) => boolean): string[][] {
  const edges = new Map(
    sources.map(({ file, imports }) => [
      file,
      imports.filter(({ isFile, kind }) => isFile && counts(kind)).map(({ to }) => to),
    ]),
  );
  const settled = new Set<string>();
  const cycles: string[][] = [];
  for (const file of edges.keys()) visit(file, []);
  return cycles;

  function visit(file: string, path: string[]): void {
    const start = path.indexOf(file);
    if (start !== -1) cycles.push(path.slice(start));
    if (start !== -1 || settled.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    settled.add(file);
  }
}
