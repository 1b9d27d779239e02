// Lists the functions and methods of the mapping language.

import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { signatureOf } from "../../compiler/builtins/describe.ts";
import { sampleOf } from "../../compiler/builtins/samples.ts";
import type { ListedFunction } from "./protocol.ts";

/** Returns all functions and methods by name, except deprecated ones. */
export function listFunctions(): readonly ListedFunction[] {
  return coreBuiltins.builtins
    .filter(({ deprecated }) => !deprecated)
    .map((builtin): ListedFunction => {
      const { name, kind, doc } = builtin;
      const sample = sampleOf(name);
      return { name, kind, signature: signatureOf(builtin), doc, ...(sample && { sample }) };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
