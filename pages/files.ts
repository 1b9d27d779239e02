// The files of a page, as its server reads them. In a package they are in `pages/` beside the bundle, compressed, and what
// pages load later is there once for all; from sources they are made when they are first asked for.

import { readdir, readFile } from "node:fs/promises";
import { brotliDecompressSync } from "node:zlib";
import type { BundledPage, Page } from "./bundle.ts";

/** What is served of a page: its scripts and its style as texts. */
export type PageFiles = Pick<BundledPage, "script" | "style" | "later">;

const isSource = import.meta.url.endsWith(".ts");

/** The files of a page that a package has. */
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
