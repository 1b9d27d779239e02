import { existsSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "../harness/directories.ts";
import { type Page, pagePaths, readPage } from "./markdown.ts";

const pages = new Map(pagePaths().map((path) => [path, readPage(path)]));

test("every link of every page leads to an existing file and heading", () => {
  const broken = [...pages.values()].flatMap((page) =>
    page.links
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, decodeURI(link)))
      .map((link) => `${page.path}: ${link}`),
  );
  assert.equal(broken, []);
});

test("every guide is in the list of guides, which is the sidebar of the site", () => {
  const listed = pages.get("docs/README.md")?.links.map((link) => posix.join("docs", link)) ?? [];
  const guides = [...pages.keys()].filter((path) => /^docs\/[^/]+\.md$/.test(path));
  assert.equal(
    guides.filter((path) => path !== "docs/README.md" && !listed.includes(path)),
    [],
  );
});

test("every picture is shown by a page", () => {
  const shown = new Set(
    [...pages.values()].flatMap(({ path, links }) =>
      links.map((link) => posix.join(posix.dirname(path), link)),
    ),
  );
  const pictures = readdirSync(join(projectRoot, "docs/pictures")).map((name) => `docs/pictures/${name}`);
  assert.ok(pictures.length > 0);
  assert.equal(
    pictures.filter((path) => !shown.has(path)),
    [],
  );
});

test("claims about other programs cite their sources", () => {
  const sources = pages.get("docs/comparison.md")?.links.filter((link) => link.startsWith("https://")) ?? [];
  assert.ok(sources.length >= 15);
});

function leadsSomewhere(page: Page, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page.path : posix.join(posix.dirname(page.path), path);
  if (!existsSync(join(projectRoot, target))) return false;
  return anchor === undefined || (pages.get(target)?.anchors.has(anchor) ?? false);
}

test.run();
