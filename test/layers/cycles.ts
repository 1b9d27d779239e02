import type { Source } from "./sources.ts";

/** Returns one cycle of each group of files that import each other, including type imports, as `a.ts -> b.ts -> a.ts`. */
export function findCycles(sources: readonly Source[]): string[] {
  const edges = new Map(
    sources.map(({ file, imports }) => [file, imports.filter(({ isFile }) => isFile).map(({ to }) => to)]),
  );
  const settled = new Set<string>();
  const cycles: string[][] = [];
  for (const file of edges.keys()) visit(file, []);
  return cycles.map((cycle) => [...cycle, cycle[0]].join(" -> "));

  function visit(file: string, path: string[]): void {
    const start = path.indexOf(file);
    if (start !== -1) cycles.push(path.slice(start));
    if (start !== -1 || settled.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    settled.add(file);
  }
}

/** Returns the modules that are loaded together with `file`: its value imports, and their value imports. */
export function reachableFrom(sources: readonly Source[], file: string): ReadonlySet<string> {
  const imports = new Map(sources.map((source) => [source.file, source.imports]));
  const reached = new Set([file]);
  for (const each of reached) {
    for (const { to, kind, isFile } of imports.get(each) ?? [])
      if (isFile && kind === "value") reached.add(to);
  }
  return reached;
}
