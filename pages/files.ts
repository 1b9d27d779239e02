// Reads the files of a page for its server, compressed with Brotli. In a package they are in `pages/` next to the bundle,
// and scripts loaded on demand are shared between pages. When running from sources, they are built on the first request.

import { readdir, readFile } from "node:fs/promises";
import { brotliCompressSync, constants } from "node:zlib";
import type { Page } from "./bundle.ts";

const isSource = import.meta.url.endsWith(".ts");

/** Returns the files of a page by name, from the package or built from sources: `page.js`, `page.css` and later scripts. */
export async function readPage(page: Page): Promise<ReadonlyMap<string, Buffer>> {
  if (isSource) return buildPage(page);
  const folder = new URL("./pages/", import.meta.url);
  const read = async (path: string) => readFile(new URL(`${path}.br`, folder));
  const names = (await readdir(new URL("later/", folder))).map((file) => file.replace(/\.br$/, ""));
  const paths = [
    ...["page.js", "page.css"].map((name) => [name, `${page}/${name}`] as const),
    ...names.map((name) => [name, `later/${name}`] as const),
  ];
  return new Map(await Promise.all(paths.map(async ([name, path]) => [name, await read(path)] as const)));
}

async function buildPage(page: Page): Promise<ReadonlyMap<string, Buffer>> {
  const { script, style, later } = await (await import("./bundle.ts")).bundlePage(page);
  const texts = [["page.js", script] as const, ["page.css", style] as const, ...later];
  return new Map(texts.map(([name, text]) => [name, packQuickly(text)]));
}

/** Compresses with Brotli, quickly: only for development. */
export function packQuickly(text: string): Buffer {
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}
