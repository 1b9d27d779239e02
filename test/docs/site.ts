import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, posix } from "node:path";
import { Parser } from "htmlparser2";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { chromium } from "../harness/chromium.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { listenOnLoopback } from "../harness/loopback-server.ts";
import { run } from "../harness/processes.ts";
import { newVisitor } from "../harness/visitor.ts";
import { eventually } from "../harness/wait.ts";

const folder = temporaryDirectory("site");
const built = await run(process.execPath, [join(projectRoot, "scripts/build-docs.ts"), folder], {
  cwd: projectRoot,
  timeout: 400_000,
});
if (built.status !== 0) throw new Error(`the site was not built: ${built.stdout}${built.stderr}`);

const files = new Set(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => posix.join(parentPath, name).slice(folder.length)),
);
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};
const server = await listenOnLoopback(
  createServer((request, response) => {
    const file = fileOf(decodeURI(new URL(request.url ?? "/", "http://x").pathname));
    if (file === undefined) return response.writeHead(404).end();
    return response.setHeader("content-type", types[extname(file)] ?? "").end(readFileSync(folder + file));
  }),
);
const browser = await chromium();
const visitor = await newVisitor(browser);
const { page } = visitor;
/** The addresses that the browser requested. */
const asked = new Set<string>();
page.on("request", (request) => asked.add(new URL(request.url()).origin));

test("every internal link leads to an existing page and heading", () => {
  const pages = new Map(
    [...files].filter((file) => file.endsWith(".html")).map((file) => [file, read(file)]),
  );
  const broken = [...pages].flatMap(([path, { links }]) =>
    links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const { pathname, hash } = new URL(link, `http://x${path}`);
        const file = fileOf(decodeURI(pathname));
        if (file === undefined) return true;
        const anchor = decodeURIComponent(hash.slice(1));
        return anchor !== "" && !(pages.get(file)?.anchors.has(anchor) ?? false);
      })
      .map((link) => `${path}: ${link}`),
  );
  assert.equal([...new Set(broken)], []);
  assert.ok(pages.size > 500, `${pages.size} pages`);
});

test("search works without a server, and leads to a page with the searched words", async () => {
  await page.goto(`${server.url}/`);
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.locator("#localsearch-input").fill("fencing token");
  const results = page.locator("#localsearch-list a");
  await results.first().waitFor();
  await results.first().click();
  await page.waitForURL(/scaling|leases/);
  await page.getByText("fencing token").first().waitFor();
});

test("search finds pages with some of the words, those with more of them first", async () => {
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.locator("#localsearch-input").fill("how can a fencing token be unlikelyword");
  const first = page.locator("#localsearch-list a").first();
  await eventually(() => first.getAttribute("href"), /scaling|leases/, {
    what: "a page about fencing tokens",
  });
  await page.keyboard.press("Escape");
});

test("search finds components, commands and diagnostic codes", async () => {
  for (const [words, path] of [
    ["kafka_franz input", /reference/],
    ["sluice test-connections", /commands|connections|start/],
    ["what is a fallback output", /reference#fallback-output|reference.html#fallback-output/],
    ["GW4001", /GW4001|codes|start|checks/],
  ] as const) {
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.locator("#localsearch-input").fill(words);
    // Until then, the results of the words before are shown.
    const first = page.locator("#localsearch-list a").first();
    await eventually(() => first.getAttribute("href"), path, { what: `a page that is found for ${words}` });
    await first.click();
    await page.waitForURL(path);
  }
});

test("pages support narrow windows and dark mode", async () => {
  for (const path of ["/", "/tutorial.html", "/reference.html", "/comparison.html", "/operations.html"]) {
    await page.goto(server.url + path);
    await page.setViewportSize({ width: 360, height: 800 });
    assert.is(await page.evaluate("document.documentElement.scrollWidth"), 360, path);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page
      .getByRole("navigation", { name: /sidebar/i })
      .getByText("Tutorial")
      .waitFor();
  }
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await background();
  await page.getByRole("switch").first().click();
  assert.not.equal(await background(), light);
});

test("pages load nothing from other origins, and log no errors", async () => {
  await page.getByText("Sluice").first().waitFor();
  assert.equal([...asked], [server.url]);
  assert.equal(visitor.complaints, []);
  await browser.close();
  await server.close();
});

/** Returns the file at a path of the site; addresses of pages may omit the extension. */
function fileOf(path: string): string | undefined {
  return [path, `${path}.html`, posix.join(path, "index.html")].find((file) => files.has(file));
}

/** Returns the links of a page, and its anchors. */
function read(file: string): { readonly links: readonly string[]; readonly anchors: ReadonlySet<string> } {
  const links: string[] = [];
  const anchors = new Set<string>();
  const parser = new Parser({
    onopentag(name, { href, src, id }) {
      if (id !== undefined) anchors.add(id);
      if (name === "a" && href !== undefined) links.push(href);
      if (src !== undefined) links.push(src);
    },
  });
  parser.end(readFileSync(folder + file, "utf8"));
  return { links, anchors };
}

test.run();
