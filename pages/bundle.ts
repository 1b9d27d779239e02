// The script of a page: its modules below this folder and their packages, as one file for browsers.

import { join } from "node:path";
import { build } from "esbuild";

/** A page that the project serves; each has a folder here, whose `main.ts` is where it begins. */
export type Page = "admin" | "management" | "portal";

/** The script of a page, and the modules that it is made of, from the root of the project. */
export async function bundlePage(page: Page): Promise<{ script: string; modules: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(import.meta.dirname, ".."),
    entryPoints: [`pages/${page}/main.ts`],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2023",
    minify: true,
    // Where it is checked in, a change touches the lines that it is about.
    lineLimit: 110,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  return { script: outputFiles[0]?.text ?? "", modules: Object.keys(metafile.inputs) };
}
