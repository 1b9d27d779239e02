// Changes of the files of a package by what stands in them, which another release may no longer have.

import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** What is changed in one file of a package. */
export interface FilePatch {
  /** In the package, with slashes. */
  readonly file: string;
  /** What it changes, to check it against a newer release. */
  readonly about: string;
  readonly edits: readonly Edit[];
}

/** One change, by what stands in the file once. */
interface Edit {
  readonly original: string | RegExp;
  readonly replacement: string;
}

/**
 * An esbuild plugin that patches a package wherever a bundle has it. Fails the build when a place is not found, so that a newer
 * release is looked at before it is used.
 */
export function sourcePatch(name: string, patches: readonly FilePatch[]): Plugin {
  return {
    name: `sluice-${name}`,
    setup(build) {
      for (const { file, about, edits } of patches) {
        build.onLoad({ filter: fileOf(name, file) }, async ({ path }) => {
          const contents = patched(await readFile(path, "utf8"), edits);
          if (contents === undefined)
            return { errors: [{ text: `${name} changed where ${about} is patched` }] };
          return { contents, loader: file.endsWith(".json") ? "json" : "js" };
        });
      }
    },
  };
}

/** The source with all changes made; `undefined` where one of them does not have exactly one place. */
function patched(source: string, edits: readonly Edit[]): string | undefined {
  let text = source;
  for (const { original, replacement } of edits) {
    if (text.split(original).length !== 2) return undefined;
    text = text.replace(original, replacement);
  }
  return text;
}

function fileOf(name: string, file: string): RegExp {
  const segments = [name, ...file.split("/")].map((segment) => segment.replace(".", String.raw`\.`));
  return new RegExp(String.raw`[\\/]${segments.join(String.raw`[\\/]`)}$`);
}
