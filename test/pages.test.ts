// How much of a page a browser loads before it shows the page, views with the editor included.

import { brotliCompressSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { bundlePage } from "../pages/bundle.ts";

/** The most bytes of a page, compressed, before a view is shown. */
const budget = 120_000;

for (const page of ["admin", "management", "play", "portal"] as const) {
  test(`a view of the page ${page} needs at most ${budget} bytes`, async () => {
    const { script, style, later } = await bundlePage(page);
    const names = new Set(importsOf(script));
    const editor = [...later.keys()].find((name) => name.startsWith("code-editor-"));
    assert.is(editor !== undefined, page === "management" || page === "play");
    if (editor !== undefined) names.add(editor);
    // A set visits what is added while it is iterated.
    for (const name of names) for (const inner of importsOf(textOf(later, name))) names.add(inner);
    const loaded = [script, style, ...[...names].map((name) => textOf(later, name))];
    const bytes = loaded.reduce((sum, text) => sum + brotliCompressSync(text).length, 0);
    assert.ok(bytes <= budget, `${bytes} bytes: ${[...names].join(" ")}`);
  });
}

function textOf(later: ReadonlyMap<string, string>, name: string): string {
  const text = later.get(name);
  if (text === undefined) throw new Error(`no script ${name}`);
  return text;
}

/** Returns the scripts that a script imports statically. */
function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)].map(([, name = ""]) => name);
}

test.run();
