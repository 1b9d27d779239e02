// The files of the playground. In a package they are in a folder beside the bundle, compressed; from sources they are
// made when they are first asked for.

import { readFile } from "node:fs/promises";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { readPage } from "../pages/files.ts";
import { pageDocument } from "../runtime/http/page-document.ts";

const isSource = import.meta.url.endsWith(".ts");

/** The page, which its script fills. */
export const playgroundHtml = /* @__PURE__ */ pageDocument(
  "Sluice playground",
  "page",
  "The playground runs in your browser, by its script.",
);

/** What the page may do: its own scripts and style, and files of its own listener. */
export const playgroundPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** What the worker may do: run the code that the compiler emits in it, and reach nothing. */
export const workerPolicy = "default-src 'none'; script-src 'unsafe-eval'";

/** The texts of scripts and styles by name: `page.js`, `page.css`, `worker.js` and what the page loads later. */
export async function readPlayground(): Promise<ReadonlyMap<string, string>> {
  const { script, style, later } = await readPage("play");
  return new Map([["page.js", script], ["page.css", style], ...later, ["worker.js", await readWorker()]]);
}

/** The script of the worker, compressed with Brotli. */
export async function readPackedWorker(): Promise<Uint8Array> {
  if (!isSource) return readFile(new URL("./playground/worker.js.br", import.meta.url));
  // A quick compression: this is for those who work on the project.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  return brotliCompressSync(await readWorker(), { params });
}

async function readWorker(): Promise<string> {
  if (!isSource) return brotliDecompressSync(await readPackedWorker()).toString();
  return (await (await import("./bundle.ts")).bundleWorker()).script;
}
