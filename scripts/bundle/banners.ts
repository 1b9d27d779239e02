// The lines at the beginning of the files of `dist/`. Most files need none of them: a check loads dozens of files and
// would create `require` for each of them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { requireBanner } from "../../compiler/link/linked-runtime.ts";

/** What Node 20 lacks. An import in the module of an entry point would run after the chunks that it imports. */
const olderNode = 'import "./older-node.js";';

/** The beginning of all files of the command line and the library, as esbuild writes it. */
export const commandBanner = `${olderNode}\n${requireBanner}`;

/**
 * Removes the lines that a file does not need from the files of a bundle in `root`: `require` from those without the word,
 * and what Node 20 lacks from all but `starts`, with which a process begins to read them.
 */
export function dropUnusedBanners({ outputs }: Metafile, root: string, starts: readonly string[]): void {
  for (const path of Object.keys(outputs).filter((each) => each.endsWith(".js"))) {
    const file = join(root, path);
    const text = readFileSync(file, "utf8");
    const banner = [commandBanner, requireBanner].find((each) => text.startsWith(`${each}\n`));
    if (banner === undefined) throw new Error(`${path} begins in another way`);
    const code = text.slice(banner.length + 1);
    const needed = [starts.includes(file) ? olderNode : "", /\brequire\b/.test(code) ? requireBanner : ""];
    const kept = needed.map((each) => (each === "" ? "" : `${each}\n`)).join("");
    if (kept.length === banner.length + 1) continue;
    writeFileSync(file, kept + code);
    if (outputs[`${path}.map`] !== undefined) moveUp(`${file}.map`, linesIn(`${banner}\n`) - linesIn(kept));
  }
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

/** Adapts the source map of a file that lost its first `count` lines, none of which has a source. */
function moveUp(file: string, count: number): void {
  const map = JSON.parse(readFileSync(file, "utf8"));
  const { mappings } = map;
  if (/[^;]/.test(mappings.slice(0, count))) throw new Error(`${file} has a source of a banner`);
  writeFileSync(file, JSON.stringify({ ...map, mappings: mappings.slice(count) }));
}
