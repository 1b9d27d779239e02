// Turns emitted code into a function of this process. Imports become parameters that are linked to the runtime.

import { invariant } from "../diagnostics/invariant.ts";
import { type Code, type Link, linksOf } from "../emit/code.ts";
import { renderCode } from "../emit/render.ts";
import { loadModule } from "./runtime-modules.ts";

/** Values to link instead of those of the runtime, by symbol, such as functions that read the environment. */
export type Replacements = Readonly<Record<string, unknown>>;

/** Returns the value `name` that `declarations` declare. The caller knows its type. */
export function evaluateCode(declarations: Code, name: string, replacements: Replacements = {}): unknown {
  const links = linksOf(declarations).filter((link) => !link.typeOnly);
  const values = links.map((link) =>
    Object.hasOwn(replacements, link.local) ? replacements[link.local] : loadSymbol(link),
  );
  const body = `"use strict";\n${renderCode(declarations, { types: false })}\nreturn ${name};`;
  // The text comes from the emitter, which contains data of documents only as quoted literals.
  return new Function(...links.map((link) => link.local), body)(...values);
}

function loadSymbol({ module, symbol, load }: Link): unknown {
  const loaded = load?.() ?? loadModule(module);
  invariant(Object.hasOwn(loaded, symbol), `${module} exports \`${symbol}\``);
  return loaded[symbol];
}
