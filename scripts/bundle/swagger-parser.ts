// Patches swagger-parser in `dist`: keeps its two ajv instances, with the schemas they have compiled. Without this it
// compiles the schema of OpenAPI again for each invalid document, which takes longer than the rest of a check.

import type { Plugin } from "esbuild";
import { type FilePatch, sourcePatch } from "../../compiler/link/patches/source-patch.ts";

export const keptValidators: FilePatch = {
  file: "lib/validators/schema.js",
  about: "its validators",
  edits: [
    {
      original: "function initializeAjv(draft04 = true) {\n",
      replacement: `const known = new Map();

function initializeAjv(draft04 = true) {
  if (!known.has(draft04)) known.set(draft04, createAjv(draft04));
  return known.get(draft04);
}

function createAjv(draft04) {
`,
    },
  ],
};

/** Returns the patch as an esbuild plugin. */
export function swaggerParserPatch(): Plugin {
  return sourcePatch("swagger-parser", [keptValidators]);
}
