// Finds the modules of the runtime that code outside of it imports by name: what a compiler emits, and what it evaluates.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where such names are written: descriptors, the emitter and linker, and the modules that evaluate mappings. */
const naming = ["compiler/**/*.ts", "schemas/**/*.ts"];

/** `runtime/connectors/kafka/input.ts`, alone or as emitted code imports it. */
const name = /"(?:sluice\/)?(runtime\/[\w./-]+\.ts)"/g;

/**
 * Returns the modules of the runtime, sorted, that need a file of their own in `dist/`: all others are reached only through
 * these. Builtins name their modules below `runtime/mapping/` without the folder.
 */
export function findRuntimeEntries(root: string): readonly string[] {
  const named = globSync(naming, { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(name)].map(([, module = ""]) => module),
  );
  const present = new Set(
    globSync("runtime/**/*.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/")),
  );
  const builtins = [...present].filter((file) => /^runtime\/mapping\/[^/]+$/.test(file));
  return [...new Set([...named, ...builtins])].filter((module) => present.has(module)).sort();
}
