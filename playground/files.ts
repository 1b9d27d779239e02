// The files of the playground. In a package they are in a folder beside the bundle, compressed; from sources they are
// made when they are first asked for.

import { readdir, readFile } from "node:fs/promises";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
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
  return isSource ? bundlePlayground() : readBundledPlayground();
}

/** The script of the worker, compressed with Brotli. */
export async function readPackedWorker(): Promise<Uint8Array> {
  if (!isSource) return readFile(new URL("./playground/worker.js.br", import.meta.url));
  const { bundleWorker } = await import("./bundle.ts");
  // A quick compression: this is for those who work on the project.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  return brotliCompressSync((await bundleWorker()).script, { params });
}

async function readBundledPlayground(): Promise<ReadonlyMap<string, string>> {
  const folder = new URL("./playground/", import.meta.url);
  const files = (await readdir(folder)).map(async (name) => {
    const bytes = await readFile(new URL(name, folder));
    return [name.replace(/\.br$/, ""), brotliDecompressSync(bytes).toString()] as const;
  });
  return new Map(await Promise.all(files));
}

/** The same, bundled from the sources. */
export async function bundlePlayground(): Promise<ReadonlyMap<string, string>> {
  const { bundlePage } = await import("../pages/bundle.ts");
  const { bundleWorker } = await import("./bundle.ts");
  const [page, worker] = [await bundlePage("play"), await bundleWorker()];
  return new Map([
    ["page.js", page.script],
    ["page.css", page.style],
    ...page.later,
    ["worker.js", worker.script],
  ]);
}
