// Checks the accessibility of a page with axe-core.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const require = createRequire(import.meta.url);
const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** A rule that a page violates, with the elements. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The rules for each colour scheme: all of them for light, only those that depend on colours for dark. */
const schemes = {
  light: {},
  dark: { runOnly: { type: "rule", values: ["color-contrast"] } },
} as const;

/** Returns the rules that a page violates in the light and the dark scheme; empty if there are none. */
export async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // The content security policy blocks added scripts, but does not apply to code that the debugger evaluates.
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
