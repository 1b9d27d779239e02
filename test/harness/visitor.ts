// Somebody who looks at pages: what they press and read, and what stands in their way.

import type { Browser, Page } from "playwright-core";
import { violations } from "./accessibility.ts";
import { until } from "./wait.ts";

/** A page in a browser, with what tests do on it. */
export interface Visitor {
  readonly page: Page;
  /** What the browser would not do, and what scripts got wrong. */
  readonly complaints: readonly string[];
  /** What stands in the way of people without a mouse or eyes, or with a telephone. */
  readonly unfit: readonly string[];
  /** The texts of a table's cells, row by row. */
  rowsOf(table: string): Promise<readonly (readonly string[])[]>;
  /** Presses the button of that name. */
  press(name: string | RegExp): Promise<void>;
  /** Follows the link of exactly that name. */
  follow(name: string): Promise<void>;
  /** Waits until the page says that about what was done. */
  says(text: string): Promise<unknown>;
  /** Looks for what is in the way in a view: by axe-core in both schemes, and in a window of 360 pixels. */
  isFitForAll(view: string): Promise<void>;
}

/** Opens an empty page. */
export async function newVisitor(browser: Browser): Promise<Visitor> {
  const page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  const unfit: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => complaints.push(dialog.message()));
  page.on("console", (line) => {
    // What a server refuses is a line of the browser's own.
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
      unfit.push(...(await violations(page)).map((text) => `${view}: ${text}`));
      const width = await widthIn(page, 360);
      if (width !== 360) unfit.push(`${view}: ${width} pixels wide`);
    },
  };
}

/** How wide a page is in a window of that width, once it has been drawn for it. */
export async function widthIn(page: Page, window: number): Promise<number> {
  await page.setViewportSize({ width: window, height: 800 });
  const width = async () => Number(await page.evaluate("document.documentElement.scrollWidth"));
  // Tables become cards when the browser has told them that the window is narrow.
  await until(async () => (await width()) === window, { timeout: 5_000 }).catch(() => undefined);
  const found = await width();
  await page.setViewportSize({ width: 1280, height: 720 });
  return found;
}
