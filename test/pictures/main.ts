// Makes the pictures in `docs/pictures/` that the documentation shows: `npm run docs:screenshots`. Takes names of pages to
// make only those. With `PICTURES`, every view is captured.

import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { chromium } from "../harness/chromium.ts";
import { projectRoot } from "../harness/directories.ts";
import { editorScene } from "./editor-scene.ts";
import { gatewayScene } from "./gateway-scene.ts";
import { managementScene } from "./management-scene.ts";
import { playScene } from "./play-scene.ts";
import { portalScene } from "./portal-scene.ts";
import type { Scene } from "./scene.ts";

const scenes: Readonly<Record<string, () => Promise<Scene>>> = {
  editor: editorScene,
  gateway: gatewayScene,
  management: managementScene,
  play: playScene,
  portal: portalScene,
};

/** Widths in pixels; `WIDTHS=360,768,1440` captures whole pages at the sizes of a phone, a tablet and a desktop. */
const widths = (process.env.WIDTHS ?? "1280").split(",").map(Number);
const schemes = (process.env.SCHEMES ?? "light").split(",") as readonly ("light" | "dark")[];
/** `CONTRAST=more` captures the pages for people who prefer more contrast. */
const contrast = process.env.CONTRAST === "more" ? "more" : "no-preference";
const docs = join(projectRoot, "docs");
const { PICTURES: folder = join(docs, "pictures") } = process.env;
/** Text of the documentation, which names its pictures; `undefined` if every view is wanted. */
const documentation =
  process.env.PICTURES === undefined
    ? globSync(join(docs, "*.md"))
        .map((file) => readFileSync(file, "utf8"))
        .join("\n")
    : undefined;

mkdirSync(folder, { recursive: true });
const browser = await chromium();
const wanted = process.argv.slice(2);
for (const [name, make] of Object.entries(scenes)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const scene = await make();
  await take(browser, scene);
  await scene.close();
}
await browser.close();

async function take(browser: Browser, { views }: Scene): Promise<void> {
  const page = await browser.newPage();
  for (const { name, show } of views) {
    await show(page);
    if (documentation?.includes(`/${name}.png`) === false) continue;
    for (const width of widths) {
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme, contrast, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: width < 700 ? 800 : 820 });
        const marks = [...(widths.length > 1 ? [width] : []), ...(schemes.length > 1 ? [colorScheme] : [])];
        const file = [name, ...marks].join("-");
        await page.screenshot({ path: join(folder, `${file}.png`), fullPage: widths.length > 1 });
        console.log(file);
      }
    }
  }
  await page.close();
}
