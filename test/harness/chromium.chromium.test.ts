import { test } from "uvu";
import { chromium } from "./chromium.ts";
import { httpServer } from "./http-server.ts";
import { eventually } from "./wait.ts";

test("Chromium runs scripts of a page", async () => {
  const server = await httpServer(() => ({
    headers: { "content-type": "text/html" },
    body: `<h1>…</h1><script>document.querySelector("h1").textContent = 6 * 7</script>`,
  }));
  const browser = await chromium();
  const page = await browser.newPage();
  await page.goto(server.url);
  await eventually(() => page.textContent("h1"), "42");
  await browser.close();
  await server.close();
});

test.run();
