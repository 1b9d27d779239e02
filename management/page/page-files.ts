// The files of the page. In a package the scripts and the style are in a folder beside the bundle, compressed; from sources they are made
// when they are first asked for.

import { readdir, readFile } from "node:fs/promises";
import { brotliDecompressSync } from "node:zlib";
import { type PageFile, packedFile, textFile } from "../../runtime/http/page-file.ts";
import { pageHtml } from "./page-html.ts";

const isSource = import.meta.url.endsWith(".ts");

/** What completes and explains in the editor. It is large, and browsers ask for it when an API is opened. */
const workerName = "worker.js";
let worker: Promise<PageFile> | undefined;

let files: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** A file of the page by its name, which is empty for the page itself. */
export async function readPageFile(name: string): Promise<PageFile | undefined> {
  if (name === workerName) {
    worker ??= readWorker();
    return worker;
  }
  files ??= readFiles();
  return (await files).get(name);
}

async function readWorker(): Promise<PageFile> {
  const { readPackedWorker } = await import("../../playground/files.ts");
  return packedFile(
    "text/javascript; charset=utf-8",
    Buffer.from(await readPackedWorker()).toString("base64"),
  );
}

async function readFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { script, style, later } = await (isSource ? bundleFromSources() : readBundled());
  const scripts = [["page.js", script] as const, ...later];
  return new Map([
    ["", textFile("text/html; charset=utf-8", pageHtml)],
    ["page.css", textFile("text/css; charset=utf-8", style)],
    ...scripts.map(([name, text]) => [name, textFile("text/javascript; charset=utf-8", text)] as const),
  ]);
}

interface Bundled {
  readonly script: string;
  readonly style: string;
  readonly later: ReadonlyMap<string, string>;
}

async function readBundled(): Promise<Bundled> {
  const folder = new URL("./management-page/", import.meta.url);
  const read = async (name: string) =>
    brotliDecompressSync(await readFile(new URL(`${name}.br`, folder))).toString();
  const files = (await readdir(folder)).map((name) => name.replace(/\.br$/, ""));
  const names = files.filter((name) => name.endsWith(".js") && name !== "page.js");
  const later = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
  return { script: await read("page.js"), style: await read("page.css"), later: new Map(later) };
}

async function bundleFromSources(): Promise<Bundled> {
  const { bundlePage } = await import("../../pages/bundle.ts");
  return bundlePage("management");
}
