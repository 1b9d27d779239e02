// Computes the figures of the compiler and the runtime from their modules.

import type { Module } from "./modules.ts";

/** Figures of the modules of one folder. Comment lines count. */
export interface FolderFigures {
  readonly folder: string;
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly p90: number;
  /** Files of at most thirty lines. */
  readonly short: number;
  /** Files imported by exactly one other file, not counting tests. */
  readonly oneImporter: number;
  /** Files directly in the folder. */
  readonly atRoot: number;
}

/** The output of `npm run metrics`. */
export interface Metrics {
  readonly folders: readonly FolderFigures[];
  /** Names of types and constants that several modules of these folders export, with the modules. */
  readonly sharedNames: readonly (readonly [name: string, files: readonly string[]])[];
  /** Groups of files that import each other in a cycle, including type imports. */
  readonly cycles: readonly (readonly string[])[];
  /** Lookups by path in documents that should use the model: everywhere in the compiler except `parse` and `model`. */
  readonly lookUps: { readonly count: number; readonly files: number };
}

const folders = ["compiler", "runtime"];
const shortest = 30;

/** Computes the figures of `modules`. Those outside the compiler and the runtime count only as importers. */
export function readMetrics(modules: readonly Module[]): Metrics {
  const own = modules.filter(({ file }) => folders.some((folder) => file.startsWith(`${folder}/`)));
  const importers = countImporters(modules.filter(({ file }) => !file.startsWith("test/")));
  return {
    folders: folders.map((folder) => figuresOf(folder, own, importers)),
    sharedNames: findSharedNames(own),
    cycles: findCycleGroups(own),
    lookUps: findLookUps(own),
  };
}

/** Returns the figures as a table for a terminal. */
export function renderMetrics({ folders: rows, sharedNames, cycles, lookUps }: Metrics): string {
  const short = rows.reduce((sum, row) => sum + row.short, 0);
  const oneImporter = rows.reduce((sum, row) => sum + row.oneImporter, 0);
  return [
    ...rows.map(
      ({ folder, files, lines, median, p90, atRoot }) =>
        `${folder}: ${files} files, ${lines} lines, median ${median}, p90 ${p90}, ${atRoot} files at its root`,
    ),
    `files of at most ${shortest} lines: ${short}`,
    `files with exactly one importer: ${oneImporter}`,
    `types and constants exported under one name by several files: ${sharedNames.length}`,
    `files in cycles of imports, types included: ${cycles.flat().length}`,
    `look-ups by path outside of parse and model: ${lookUps.count} in ${lookUps.files} files`,
  ].join("\n");
}

function figuresOf(
  folder: string,
  modules: readonly Module[],
  importers: ReadonlyMap<string, number>,
): FolderFigures {
  const own = modules.filter(({ file }) => file.startsWith(`${folder}/`));
  const lines = own.map((module) => module.lines).sort((one, other) => one - other);
  return {
    folder,
    files: own.length,
    lines: lines.reduce((sum, count) => sum + count, 0),
    median: lines[Math.floor(lines.length / 2)] ?? 0,
    p90: lines[Math.floor(lines.length * 0.9)] ?? 0,
    short: lines.filter((count) => count <= shortest).length,
    oneImporter: own.filter(({ file }) => importers.get(file) === 1).length,
    atRoot: own.filter(({ file }) => file.split("/").length === 2).length,
  };
}

function countImporters(modules: readonly Module[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of modules.flatMap(({ imports }) => imports)) counts.set(file, (counts.get(file) ?? 0) + 1);
  return counts;
}

function findSharedNames(modules: readonly Module[]): Metrics["sharedNames"] {
  const places = new Map<string, string[]>();
  for (const { file, exports } of modules) {
    for (const name of new Set(exports)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  return [...places].filter(([, files]) => files.length > 1).sort(([one], [other]) => (one < other ? -1 : 1));
}

function findLookUps(modules: readonly Module[]): Metrics["lookUps"] {
  const reading = modules.filter(
    ({ file, lookUps }) => lookUps > 0 && /^compiler\/(?!parse\/|model\/|trees\/)/.test(file),
  );
  return { count: reading.reduce((sum, { lookUps }) => sum + lookUps, 0), files: reading.length };
}

/** Tarjan's algorithm: the strongly connected components of more than one file. */
function findCycleGroups(modules: readonly Module[]): readonly (readonly string[])[] {
  const edges = new Map(modules.map(({ file, imports }) => [file, imports]));
  const order = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return groups.filter((group) => group.length > 1);

  function visit(file: string): number {
    const index = order.size;
    order.set(file, index);
    stack.push(file);
    let lowest = index;
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? lowest);
    }
    if (lowest === index) groups.push(stack.splice(stack.indexOf(file)));
    return lowest;
  }
}
