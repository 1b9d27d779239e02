// The documentation page of a code. Pages are files beside the sources, and are packed with them; the
// bundled command line finds them from `dist/`.

import { existsSync, readFileSync } from "node:fs";
import { catalogue } from "./catalogue.ts";

const folders = ["./docs/", "../compiler/diagnostics/docs/"].map((path) => new URL(path, import.meta.url));

/** The page of a code as Markdown; `undefined` where there is no such code, or no page. */
export function explain(code: string): string | undefined {
  if (!Object.hasOwn(catalogue, code)) return undefined;
  const page = folders.map((folder) => new URL(`${code}.md`, folder)).find((url) => existsSync(url));
  return page === undefined ? undefined : readFileSync(page, "utf8");
}
