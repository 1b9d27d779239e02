// Changes files of a package by replacing text in them. Another release may no longer contain that text.

import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** The changes in one file of a package. */
export interface FilePatch {
  /** The path in the package, with slashes. */
  readonly file: string;
  /** The subject of the change, for comparing it with a newer release. */
  readonly about: string;
  readonly edits: readonly Edit[];
}

/** One change, of a text that occurs once in the file, or `times` times. */
interface Edit {
  readonly original: string | RegExp;
  readonly replacement: string;
  readonly times?: number;
}

/**
 * Measures durations with a clock that is never set. Otherwise a client waits for as long as the clock of the machine
 * was set back, and takes no silence for one. `times`: how often the file reads the clock.
 */
export function steadyClock(times: number): Edit {
  return { original: "Date.now()", replacement: "performance.now()", times };
}

/**
 * Returns an esbuild plugin that patches a package in every bundle that contains it. Fails the build if a text is not
 * found, so that a newer release is reviewed before it is used.
 */
export function sourcePatch(name: string, patches: readonly FilePatch[]): Plugin {
  return {
    name: `sluice-${name}`,
    setup(build) {
      for (const { file, about, edits } of patches) {
        build.onLoad({ filter: patchedFile(name, file) }, async ({ path }) => {
          const contents = patchText(await readFile(path, "utf8"), edits);
          if (contents === undefined)
            return { errors: [{ text: `${name} changed where ${about} is patched` }] };
          return { contents, loader: file.endsWith(".json") ? "json" : "js" };
        });
      }
    },
  };
}

/** Returns the source with all changes; `undefined` if the text of one of them occurs less or more often than it says. */
export function patchText(source: string, edits: readonly Edit[]): string | undefined {
  let text = source;
  for (const { original, replacement, times = 1 } of edits) {
    if (text.split(original).length !== times + 1) return undefined;
    for (let made = 0; made < times; made += 1) text = text.replace(original, replacement);
  }
  return text;
}

/** Returns an expression that matches the paths and addresses of a file of a package. */
export function patchedFile(name: string, file: string): RegExp {
  const segments = [name, ...file.split("/")].map((segment) => segment.replace(".", String.raw`\.`));
  return new RegExp(String.raw`[\\/]${segments.join(String.raw`[\\/]`)}$`);
}
