// What axe-core finds wrong with a page, as people without eyes or a mouse meet it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const require = createRequire(import.meta.url);
const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** One rule that a page breaks, and where. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The rules that a page breaks, by day and by night; empty where all is well. */
export async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // The page's policy lets no script in; what the debugger evaluates is not held by it.
    await page.evaluate(source);
    const broken = (await page.evaluate(
      `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
    )) as readonly Violation[];
    for (const { id, nodes } of broken) {
      const places = nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`);
      found.push(`${colorScheme}: ${id}: ${places.join("; ")}`);
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  return found;
}
