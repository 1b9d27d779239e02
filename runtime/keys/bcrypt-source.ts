// The code of bcryptjs as text, for a worker thread. A linked gateway has no package to read it from, so
// compiler/link/patches/bcryptjs.ts replaces this file with the text itself.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Returns the code of a CommonJS module. */
export function bcryptSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve("bcryptjs"), "utf8");
}
