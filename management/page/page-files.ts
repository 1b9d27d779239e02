// The files of the page. In a package the script and the style are files beside the bundle; from sources they are made when
// they are first asked for.

import { readFile } from "node:fs/promises";
import { type PageFile, textFile } from "../../runtime/http/page-file.ts";
import { pageHtml } from "./page-html.ts";

const isSource = import.meta.url.endsWith(".ts");

let files: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** A file of the page by its name, which is empty for the page itself. */
export async function readPageFile(name: string): Promise<PageFile | undefined> {
  files ??= readFiles();
  return (await files).get(name);
}

async function readFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { script, style } = await (isSource ? bundleFromSources() : readBundled());
  return new Map([
    ["", textFile("text/html; charset=utf-8", pageHtml)],
    ["page.css", textFile("text/css; charset=utf-8", style)],
    ["page.js", textFile("text/javascript; charset=utf-8", script)],
  ]);
}

async function readBundled(): Promise<{ script: string; style: string }> {
  const read = (name: string) => readFile(new URL(`./management-page.${name}`, import.meta.url), "utf8");
  const [script, style] = await Promise.all([read("js"), read("css")]);
  return { script, style };
}

async function bundleFromSources(): Promise<{ script: string; style: string }> {
  const { bundlePage } = await import("../../pages/bundle.ts");
  return bundlePage("management");
}
