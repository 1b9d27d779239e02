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

/** What axe looks for in each scheme: all of it by day, and by night what depends on colours. */
const schemes = {
  light: {},
  dark: { runOnly: { type: "rule", values: ["color-contrast"] } },
} as const;

/** The rules that a page breaks, by day and by night; empty where all is well. */
export async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // The page's policy lets no script in; what the debugger evaluates is not held by it.
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
    const options = JSON.stringify({ resultTypes: ["violations"], ...schemes[colorScheme] });
    const broken = (await page.evaluate(
      `axe.run(document, ${options}).then(({ violations }) => violations)`,
    )) as readonly Violation[];
    for (const { id, nodes } of broken) {
      const places = nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`);
      found.push(`${colorScheme}: ${id}: ${places.join("; ")}`);
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  return found;
}
