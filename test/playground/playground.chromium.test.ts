import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { violations } from "../harness/accessibility.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { startSluice } from "../harness/sluice.ts";
import { eventually } from "../harness/wait.ts";

const folder = temporaryDirectory("playground");
writeFileSync(
  join(folder, "totals.blobl"),
  "map total { root = this.quantity.number() * this.price.number() }\n",
);
writeFileSync(
  join(folder, "priced.yaml"),
  `input: { stdin: {} }
pipeline:
  processors:
    - mapping: |
        import "./totals.blobl"
        root = this
        root.total = this.apply("total")
        root.name = "order"
    - http: { url: "http://127.0.0.1:9/" }
    - mapping: root = if this.total < 5 { deleted() }
output: { stdout: {} }
`,
);
const served = startSluice(["play", "priced.yaml", "--port", "0"], { cwd: folder });
const [, url = ""] = await served.matching(/Playground: (\S+)/);
const browser = await chromium();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
/** What the browser would not do, and what scripts got wrong. */
const complaints: string[] = [];
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (line) => {
  if (line.type() === "error") complaints.push(line.text());
});
await page.goto(url);

const editor = page.locator(".cm-content");
const steps = page.locator(".steps > li");

async function write(text: string): Promise<void> {
  await editor.click();
  await page.keyboard.press("Control+A");
  // Typing over a selection, Chromium would put the styles of what was there into the new text, which the policy refuses.
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

test("a document runs step by step, with its imported files", async () => {
  await steps.nth(3).waitFor();
  await eventually(
    () => steps.locator("h3").allInnerTexts(),
    ["input", "processors[0].mapping", "processors[1].http", "processors[2].mapping", "output"],
  );
  const first = page.getByRole("textbox", { name: "Content of message 1" });
  await first.fill('{"price":3,"quantity":2}');
  await page.getByRole("textbox", { name: "Content of message 2" }).fill('{"price":1,"quantity":2}');
  await steps.nth(1).getByText('{"name":"order","price":3,"quantity":2,"total":6}').waitFor();
  // What opens connections is passed over, and says so.
  await eventually(() => steps.nth(2).innerText(), /It opens connections/);
  await eventually(() => steps.nth(3).locator(".message").count(), 1);
});

test("a stream is drawn, and its parts lead to their lines", async () => {
  await page.getByRole("tab", { name: "Topology" }).click();
  await page.getByRole("group", { name: /^Picture of/ }).waitFor();
  await page.getByText("The same as a list").click();
  await page.getByRole("button", { name: /^processor http/ }).click();
  await eventually(() => page.locator(".cm-activeLine").innerText(), /http: \{ url/);
  await page.getByRole("tab", { name: "Results" }).click();
});

test("a mapping is checked and completed while typing, and its failures lead to their lines", async () => {
  await page.getByRole("button", { name: "Mapping", exact: true }).click();
  await steps.first().getByText("mapping", { exact: true }).waitFor();
  await write("root = this.name.uppercas()");
  await page.getByRole("list", { name: "Diagnostics" }).getByText("Unknown method `uppercas`").waitFor();
  await write('let found = "a,b"\nroot = $found.spl');
  await page.locator(".cm-tooltip-autocomplete").getByText("split_by", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await write("root = this\nroot.half = this.quantity / this.parts");
  await page.getByRole("textbox", { name: "Content of message 1" }).fill('{"quantity":9,"parts":0}');
  await steps.first().getByText("attempted to divide by zero").waitFor();
  await eventually(() => steps.first().locator(".type").innerText(), "{ half: number, … }");
  await steps.first().getByRole("button", { name: "Go to line 2" }).first().click();
  await eventually(() => page.locator(".cm-activeLine").innerText(), /half/);
});

test("a hover documents a method", async () => {
  await write('root = "abc".uppercase()');
  // Tokens of the server make words of their own.
  await page.locator(".tok-method").hover();
  await page.locator(".cm-tooltip-hover").getByText("uppercase()").waitFor();
});

test("functions are found by search, and their samples run", async () => {
  await page.getByRole("tab", { name: "Functions" }).click();
  await page.getByRole("searchbox").fill("decompress");
  await page.getByRole("button", { name: "Try: decompress", exact: true }).click();
  await steps.first().locator(".message").first().getByText("abc").waitFor();
});

test("a link contains the whole state, including formatted text", async () => {
  await write("root.sum   =   this.a+1");
  await page.getByRole("button", { name: "Format" }).click();
  await editor.getByText("root.sum = this.a + 1").waitFor();
  await page.getByRole("textbox", { name: "Content of message 1" }).fill('{"a":41}');
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("now holds all of it").waitFor();
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await steps.first().getByText('{"sum":42}').waitFor();
});

test("invalid links are rejected: corrupt, of another shape, or larger than the limit when decompressed", async () => {
  const state = {
    ...{ path: "/play/a.blobl", text: "root = 1", messages: [], isBatch: false, environment: "", files: [] },
  };
  const link = (value: unknown) =>
    `${url}#play=${deflateRawSync(JSON.stringify(value)).toString("base64url")}`;
  const tried = await browser.newPage();
  const open = async (address: string) => {
    await tried.goto("about:blank");
    await tried.goto(address);
  };
  await open(link(state));
  await tried.locator(".cm-content").getByText("root = 1").waitFor();
  const others = [
    `${link(state)}AAAA`,
    link({ ...state, path: "/etc/passwd" }),
    link({ ...state, messages: [{ content: 5, metadata: {} }] }),
    link({ ...state, text: " ".repeat(20_000_000) }),
  ];
  for (const address of others) {
    await open(address);
    await tried.getByText("The link cannot be read.").waitFor();
  }
  await tried.close();
});

test("the page is accessible, in light and dark mode and in narrow windows", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    assert.equal(await violations(page), []);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  const width = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(Number(width) <= 390, `${width} pixels wide`);
  await page.setViewportSize({ width: 360, height: 800 });
  const middleOf = async (selector: string) => {
    const box = await page.locator(`.play > header ${selector}`).boundingBox();
    return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2);
  };
  // The header has two rows: the name beside what can be done, and what is written below.
  assert.is(await middleOf(".brand"), await middleOf(".tools"));
  assert.ok((await middleOf(".kinds")) > (await middleOf(".brand")));
  assert.equal(complaints, []);
});

test("requests with another host name are rejected", async () => {
  const status = await new Promise((resolve, reject) => {
    const asked = request(`${url}start.json`, { headers: { host: "elsewhere.example" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on("error", reject);
    asked.end();
  });
  assert.is(status, 403);
});

test.after(async () => {
  await browser.close();
  await served.stop();
});

test.run();
