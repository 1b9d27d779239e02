// A visitor of pages in a browser: presses buttons, reads texts, and records accessibility problems.

import type { Browser, Page } from "playwright-core";
import { violations } from "./accessibility.ts";
import { until } from "./wait.ts";

/** Widths of narrow windows, in pixels: pages at a zoom of 400 %, and small phones. */
const narrow = [320, 360];

/** A page in a browser, with the actions of tests. */
export interface Visitor {
  readonly page: Page;
  /** Errors of the browser and of scripts, and dialogs. */
  readonly complaints: readonly string[];
  /** Accessibility violations, and views that do not fit a narrow window. */
  readonly unfit: readonly string[];
  /** The texts of a table's cells, row by row. */
  rowsOf(table: string): Promise<readonly (readonly string[])[]>;
  /** Presses the button with that name. */
  press(name: string | RegExp): Promise<void>;
  /** Follows the link with exactly that name. */
  follow(name: string): Promise<void>;
  /** Waits until the page shows that message. */
  says(text: string): Promise<unknown>;
  /** Checks a view with axe-core in both colour schemes, and in narrow windows. */
  isFitForAll(view: string): Promise<void>;
}

/** Opens an empty page in a browser, or in a context whose pages share cookies. */
export async function newVisitor(browser: Pick<Browser, "newPage">): Promise<Visitor> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const unfit: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => complaints.push(dialog.message()));
  page.on("console", (line) => {
    // The browser itself logs a line for each request that a server refuses.
    if (line.type() === "error" && !line.text().startsWith("Failed to load resource"))
      complaints.push(line.text());
  });
  return {
    page,
    complaints,
    unfit,
    async rowsOf(table) {
      const rows = await page.locator(`${table} tbody tr`).all();
      return Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
    },
    press: (name) => page.getByRole("button", { name }).click(),
    follow: (name) => page.getByRole("link", { name, exact: true }).click(),
    says: (text) =>
      until(async () => (await page.locator("#message").textContent()) === text, { what: text }),
    async isFitForAll(view) {
      unfit.push(...(await problemsOf(page)).map((problem) => `${view}: ${problem}`));
    },
  };
}

/** Returns the rules of accessibility that a page violates, and its width where it does not fit a narrow window. */
export async function problemsOf(page: Page): Promise<readonly string[]> {
  const problems = [...(await violations(page))];
  for (const window of narrow) {
    const width = await widthIn(page, window);
    if (width !== window) problems.push(`${width} pixels wide in a window of ${window}`);
  }
  return problems;
}

/** Returns the width of a page in a window of that width, in pixels, after layout. */
export async function widthIn(page: Page, window: number): Promise<number> {
  await page.setViewportSize({ width: window, height: 800 });
  const width = async () => Number(await page.evaluate("document.documentElement.scrollWidth"));
  // Tables become cards when the browser has reported the narrow window.
  await until(async () => (await width()) === window).catch(() => undefined);
  const found = await width();
  await page.setViewportSize({ width: 1280, height: 720 });
  return found;
}
