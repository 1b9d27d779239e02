// Turns emitted code into a function of this process. Imports become parameters, linked to the runtime.

import { createRequire } from "node:module";
import { invariant } from "../diagnostics/invariant.ts";
import { type Code, linksOf } from "../emit/code.ts";
import { renderCode } from "../emit/render.ts";

// `require` of an ES module is synchronous, which `import()` cannot be; no runtime module awaits at load.
const require = createRequire(import.meta.url);

/** The function `name` that `declarations` declare. Its type is the caller's to know. */
export function evaluateCode(declarations: Code, name: string): unknown {
  const links = linksOf(declarations).filter((link) => !link.typeOnly);
  const values = links.map(({ module, symbol }) => loadSymbol(module, symbol));
  const body = `"use strict";\n${renderCode(declarations, { types: false })}\nreturn ${name};`;
  // The text comes from the emitter, in which nothing of a document is more than quoted data.
  return new Function(...links.map((link) => link.symbol), body)(...values);
}

function loadSymbol(module: string, symbol: string): unknown {
  const loaded: Record<string, unknown> = require(`../../${module}`);
  invariant(Object.hasOwn(loaded, symbol), `${module} exports \`${symbol}\``);
  return loaded[symbol];
}
