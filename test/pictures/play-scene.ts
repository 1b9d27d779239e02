// The playground, with a mapping that fails on one of its messages, and with a stream.

import type { Page } from "playwright-core";
import { servePlayground } from "../../playground/serve.ts";
import type { Scene } from "./scene.ts";

/** Serves the playground in its initial state. */
export async function playScene(): Promise<Scene> {
  const { url, close } = await servePlayground(0, undefined);
  const begin = async (page: Page) => {
    await page.goto("about:blank");
    await page.goto(url);
    await page.locator(".message.failed").first().waitFor();
    await page.locator(".tok-method").first().waitFor();
  };
  return {
    views: [
      { name: "play-mapping", show: begin },
      {
        name: "play-stream",
        async show(page) {
          await begin(page);
          await page.getByRole("button", { name: "Document", exact: true }).click();
          await page.getByText("processors[0].mapping").waitFor();
          await page.locator(".tok-method").first().waitFor();
        },
      },
    ],
    close,
  };
}
