// Bundles a page: its modules and styles below this folder and their packages become one script and one style sheet for
// browsers.

import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";

/** A page of the project. Each has a folder here, whose entry points are `main.tsx` and `page.css`. */
export type Page = "admin" | "management" | "play" | "portal";

/** The files for the browser, and the modules they contain, relative to the root of the project. */
export interface BundledPage {
  readonly script: string;
  /** Scripts that the page loads on demand, by file name. */
  readonly later: ReadonlyMap<string, string>;
  readonly style: string;
  readonly modules: readonly string[];
}

/** Bundles a page. */
export async function bundlePage(page: Page): Promise<BundledPage> {
  const folder = `pages/${page}`;
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(import.meta.dirname, ".."),
    entryPoints: { script: `${folder}/main.tsx`, style: `${folder}/page.css` },
    outdir: folder,
    bundle: true,
    write: false,
    format: "esm",
    splitting: true,
    // Several chunks hold what others share, and all of these have the name `chunk`.
    chunkNames: "[name]-[hash]",
    platform: "browser",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  const later = outputFiles.filter(({ path }) => path.endsWith(".js") && !path.endsWith("/script.js"));
  return {
    script: textOf("script.js"),
    later: new Map(later.map(({ path, text }) => [basename(path), text])),
    style: textOf("style.css"),
    modules: modulesOf(metafile),
  };
}

function modulesOf({ inputs }: Metafile): readonly string[] {
  return Object.keys(inputs);
}
