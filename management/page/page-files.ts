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
  return packedFile("text/javascript; charset=utf-8", await readPackedWorker());
}

async function readFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const page = [...(await readPage("management"))].map(([name, bytes]) => {
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    return [name, packedFile(`${type}; charset=utf-8`, bytes)] as const;
  });
  return new Map([["", textFile("text/html; charset=utf-8", pageHtml)], ...page]);
}
