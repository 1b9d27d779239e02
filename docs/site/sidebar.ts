// The side bar of the site, from the list of guides in docs/README.md.

import { posix } from "node:path";
import { pageOf } from "./pages.ts";

interface Item {
  readonly text: string;
  readonly link: string;
}

interface Section {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: Item[];
}

/** A section for each heading of second level, with the links in the list below it. */
export function sidebarOf(guides: string): readonly Section[] {
  const sections: Section[] = [];
  for (const line of guides.split("\n")) {
    const heading = /^##+ (.+)$/.exec(line);
    if (heading?.[1] !== undefined) sections.push({ text: heading[1], collapsed: false, items: [] });
    const [, text, path] = /^- \[([^\]]+)\]\(([^)]+\.md)\)/.exec(line) ?? [];
    if (text === undefined || path === undefined) continue;
    sections.at(-1)?.items.push({ text, link: `/${pageOf(posix.join("docs", path)).replace(/\.md$/, "")}` });
  }
  return sections;
}
