// The page's script, of the modules in `browser/` and the editor's packages.

import { join } from "node:path";
import { build } from "esbuild";

/** One file for browsers, and the modules that it is made of, from the root of the project. */
export async function bundlePageScript(): Promise<{ script: string; modules: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(import.meta.dirname, "../.."),
    entryPoints: ["management/page/browser/main.ts"],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2023",
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  return { script: outputFiles[0]?.text ?? "", modules: Object.keys(metafile.inputs) };
}
