// The files of the page. Each is read when a browser first requests it.

import { readPage } from "../../pages/files.ts";
import { type PageFile, packedFile, textFile } from "../../runtime/http/page-file.ts";
import { pageHtml } from "./page-html.ts";

/**
 * The script for completion and documentation in the editor. It is large, so browsers load it when an API is opened.
 */
const workerName = "worker.js";
let worker: Promise<PageFile> | undefined;

let files: Promise<ReadonlyMap<string, PageFile>> | undefined;

/** Returns a file of the page by its name, which is empty for the page itself; `undefined` if there is none. */
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
  const { script, style, later } = await readPage("management");
  const scripts = [["page.js", script] as const, ...later];
  return new Map([
    ["", textFile("text/html; charset=utf-8", pageHtml)],
    ["page.css", textFile("text/css; charset=utf-8", style)],
    ...scripts.map(([name, text]) => [name, textFile("text/javascript; charset=utf-8", text)] as const),
  ]);
}
