// Turns emitted code into a function of this process. Imports become parameters, linked to the runtime.

import { invariant } from "../diagnostics/invariant.ts";
import { type Code, type Link, linksOf } from "../emit/code.ts";
import { renderCode } from "../emit/render.ts";
import { loadModule } from "./runtime-modules.ts";

/** What to link instead of the runtime's own, by symbol: what reads the environment, for one. */
export type Replacements = Readonly<Record<string, unknown>>;

/** The value `name` that `declarations` declare. Its type is the caller's to know. */
export function evaluateCode(declarations: Code, name: string, replacements: Replacements = {}): unknown {
  const links = linksOf(declarations).filter((link) => !link.typeOnly);
  const values = links.map((link) =>
    Object.hasOwn(replacements, link.local) ? replacements[link.local] : loadSymbol(link),
  );
  const body = `"use strict";\n${renderCode(declarations, { types: false })}\nreturn ${name};`;
  // The text comes from the emitter, in which nothing of a document is more than quoted data.
  return new Function(...links.map((link) => link.local), body)(...values);
}

function loadSymbol({ module, symbol, load }: Link): unknown {
  const loaded = load?.() ?? loadModule(module);
  invariant(Object.hasOwn(loaded, symbol), `${module} exports \`${symbol}\``);
  return loaded[symbol];
}
