// The Markdown of the repository, as its tests read it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { marked, type Token } from "marked";
import { slugOf } from "../../docs/site/pages.ts";
import { projectRoot } from "../harness/directories.ts";

/** A file of Markdown. */
export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
  readonly blocks: readonly Block[];
}

/** A fenced block of code. */
export interface Block {
  /** The first word behind the fence: `yaml`, or nothing. */
  readonly language: string;
  /** The name of a file behind it, where there is one. */
  readonly file: string | undefined;
  readonly text: string;
  /** Which of the blocks of its page it is: `docs/limits.md#2`. */
  readonly name: string;
}

/** Paths of all Markdown that people read: everything but the documents of test cases. */
export function pagePaths(): readonly string[] {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  return files.split("\n").filter((path) => path !== "" && !/^test\/.*(?<!README)\.md$/.test(path));
}

/** Those whose blocks are checked and run: diagnostics have samples of their own (`test/catalogue.test.ts`). */
export function pagesWithBlocks(): readonly Page[] {
  return pagePaths()
    .filter((path) => !path.startsWith("compiler/diagnostics/docs/"))
    .map(readPage);
}

/** Reads one of them. */
export function readPage(path: string): Page {
  const links: string[] = [];
  const anchors = new Set<string>();
  const blocks: Block[] = [];
  marked.walkTokens(marked.lexer(readFileSync(join(projectRoot, path), "utf8")), (token: Token) => {
    if (token.type === "link" || token.type === "image") links.push(String(token.href));
    if (token.type === "code") {
      const [language = "", file] = String(token.lang ?? "").split(" ");
      blocks.push({ language, file, text: String(token.text), name: `${path}#${blocks.length + 1}` });
    }
    if (token.type === "heading") anchors.add(uniqueIn(anchors, slugOf(plain(token.tokens ?? []))));
  });
  return { path, links, anchors, blocks };
}

/** The second heading of a name has `-1` behind its anchor, the third `-2`. */
function uniqueIn(anchors: ReadonlySet<string>, slug: string): string {
  let name = slug;
  for (let number = 1; anchors.has(name); number += 1) name = `${slug}-${number}`;
  return name;
}

function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? token.text : "",
    )
    .join("");
}
