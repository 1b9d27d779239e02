// The documentation page of a code. Pages are files next to the sources and are packed with them. The bundled command
// line finds them from `dist/`.

import { existsSync, readFileSync } from "node:fs";
import { catalogue } from "./catalogue.ts";

const folders = ["./docs/", "../compiler/diagnostics/docs/"].map((path) => new URL(path, import.meta.url));

/** Returns the page of a code as Markdown; `undefined` if the code does not exist or has no page. */
export function explain(code: string): string | undefined {
  const page = findPage(code);
  return page === undefined ? undefined : readFileSync(page, "utf8");
}

/** Returns the file URL of the page of a code; `undefined` if there is none. */
export function explanationUrl(code: string): string | undefined {
  return findPage(code)?.href;
}

function findPage(code: string): URL | undefined {
  if (!Object.hasOwn(catalogue, code)) return undefined;
  return folders.map((folder) => new URL(`${code}.md`, folder)).find((url) => existsSync(url));
}
