// Loads a package with a patch that bundles have.

import { registerHooks } from "node:module";
import { type FilePatch, patchedFile, patchText } from "../../compiler/link/patches/source-patch.ts";

/** Patches a file of a package when it is loaded, which must not have happened yet. */
export function patchOnLoad(name: string, { file, about, edits }: FilePatch): void {
  const pattern = patchedFile(name, file);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!pattern.test(url)) return loaded;
      const source = patchText(String(loaded.source), edits);
      if (source === undefined) throw new Error(`${name} changed where ${about} is patched`);
      return { ...loaded, source };
    },
  });
}
