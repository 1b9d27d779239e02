// Reads the files of a page for its server. In a package they are in `pages/` next to the bundle, compressed, and
// scripts loaded on demand are shared between pages. When running from sources, they are built on the first request.

import { readdir, readFile } from "node:fs/promises";
import { brotliDecompressSync } from "node:zlib";
import type { BundledPage, Page } from "./bundle.ts";

/** The files served for a page: its scripts and its style as texts. */
export type PageFiles = Pick<BundledPage, "script" | "style" | "later">;

const isSource = import.meta.url.endsWith(".ts");

/** Returns the files of a page, from the package or built from sources. */
export async function readPage(page: Page): Promise<PageFiles> {
  if (isSource) return (await import("./bundle.ts")).bundlePage(page);
  const folder = new URL("./pages/", import.meta.url);
  const read = async (path: string) =>
    brotliDecompressSync(await readFile(new URL(`${path}.br`, folder))).toString();
  const names = (await readdir(new URL("later/", folder))).map((file) => file.replace(/\.br$/, ""));
  const later = await Promise.all(names.map(async (name) => [name, await read(`later/${name}`)] as const));
  return {
    script: await read(`${page}/page.js`),
    style: await read(`${page}/page.css`),
    later: new Map(later),
  };
}
