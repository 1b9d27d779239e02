// Reads the Markdown of the repository for its tests.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { marked, type Token } from "marked";
import { slugOf } from "../../docs/site/pages.ts";
import { projectRoot } from "../harness/directories.ts";

/** A Markdown file. */
export interface Page {
  /** The path relative to the root of the repository. */
  readonly path: string;
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
  readonly blocks: readonly Block[];
}

/** A fenced block of code. */
export interface Block {
  /** The first word after the fence, such as `yaml`, or an empty string. */
  readonly language: string;
  /** The name of a file after the language, if there is one. */
  readonly file: string | undefined;
  readonly text: string;
  /** The page and the number of the block in it: `docs/limits.md#2`. */
  readonly name: string;
}

/** Returns the paths of all Markdown written for readers: everything but the documents of test cases. */
export function pagePaths(): readonly string[] {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  return files.split("\n").filter((path) => path !== "" && !/^test\/.*(?<!README)\.md$/.test(path));
}

/** Returns the pages whose blocks are checked and run. Diagnostics have samples of their own (`test/catalogue.test.ts`). */
export function pagesWithBlocks(): readonly Page[] {
  return pagePaths()
    .filter((path) => !path.startsWith("compiler/diagnostics/docs/"))
    .map(readPage);
}

/** Reads a page. */
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

/** Returns an anchor: the second heading with the same name gets the suffix `-1`, the third one `-2`. */
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
