// Turns emitted code into a function of this process. Imports become parameters, linked to the runtime.

import { invariant } from "../diagnostics/invariant.ts";
import { type Code, linksOf } from "../emit/code.ts";
import { renderCode } from "../emit/render.ts";
import { loadModule } from "../evaluate/runtime-modules.ts";

/** What to link instead of the runtime's own, by symbol: what reads the environment, for one. */
export type Replacements = Readonly<Record<string, unknown>>;

/** The value `name` that `declarations` declare. Its type is the caller's to know. */
export function evaluateCode(declarations: Code, name: string, replacements: Replacements = {}): unknown {
  const links = linksOf(declarations).filter((link) => !link.typeOnly);
  const values = links.map(({ module, symbol }) =>
    Object.hasOwn(replacements, symbol) ? replacements[symbol] : loadSymbol(module, symbol),
  );
  const body = `"use strict";\n${renderCode(declarations, { types: false })}\nreturn ${name};`;
  // The text comes from the emitter, in which nothing of a document is more than quoted data.
  return new Function(...links.map((link) => link.symbol), body)(...values);
}

function loadSymbol(module: string, symbol: string): unknown {
  const loaded = loadModule(module);
  invariant(Object.hasOwn(loaded, symbol), `${module} exports \`${symbol}\``);
  return loaded[symbol];
}
