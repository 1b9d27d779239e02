// Where the page's script is. In a package it is a file beside the bundle; from sources it is made when it is first asked for.

import { readFile } from "node:fs/promises";

const isSource = import.meta.url.endsWith(".ts");

let script: Promise<string> | undefined;

/** The script of the page, made or read once. */
export function readPageScript(): Promise<string> {
  script ??= isSource
    ? bundleFromSources()
    : readFile(new URL("./management-page.js", import.meta.url), "utf8");
  return script;
}

async function bundleFromSources(): Promise<string> {
  const { bundlePage } = await import("../../pages/bundle.ts");
  return (await bundlePage("management")).script;
}
