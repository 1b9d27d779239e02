// The code of bcryptjs as text, for a thread to run. In a linked gateway there is no package to read it from:
// compiler/link/patches/bcryptjs.ts puts the text itself in place of this file.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** A CommonJS module. */
export function bcryptSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve("bcryptjs"), "utf8");
}
