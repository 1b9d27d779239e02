// The files of the playground. In a package they are in a folder next to the bundle, compressed; when running from
// sources, they are built on the first request.

import { readFile } from "node:fs/promises";
import { brotliDecompressSync } from "node:zlib";
import { packQuickly, readPage } from "../pages/files.ts";
import { pageDocument } from "../runtime/http/page-document.ts";

const isSource = import.meta.url.endsWith(".ts");

/** The HTML document, whose script renders the page. */
export const playgroundHtml = /* @__PURE__ */ pageDocument(
  "Sluice playground",
  "page",
  "The playground runs in your browser, by its script.",
);

/** The content security policy of the page: its own scripts and style, and files of its own server. */
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

/** The content security policy of the worker: it may evaluate emitted code, but make no requests. */
export const workerPolicy = "default-src 'none'; script-src 'unsafe-eval'";

/** Returns the texts of scripts and styles by name: `page.js`, `page.css`, `worker.js` and those loaded on demand. */
export async function readPlayground(): Promise<ReadonlyMap<string, string>> {
  const files = [...(await readPage("play")), ["worker.js", await readPackedWorker()] as const];
  return new Map(files.map(([name, bytes]) => [name, brotliDecompressSync(bytes).toString()]));
}

/** Returns the script of the worker, compressed with Brotli. */
export async function readPackedWorker(): Promise<Buffer> {
  if (!isSource) return readFile(new URL("./playground/worker.js.br", import.meta.url));
  return packQuickly((await (await import("./bundle.ts")).bundleWorker()).script);
}
