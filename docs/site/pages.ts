// Which Markdown of the repository is which page of the site, and where its links lead there.

import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

/** The root of the repository. */
export const root = join(import.meta.dirname, "../..");

/** Pages whose names would be those of others, or of no meaning there. */
const renamed: Readonly<Record<string, string>> = {
  "README.md": "start.md",
  "CHANGELOG.md": "changes.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "reporting-vulnerabilities.md",
  "docs/README.md": "index.md",
};

/** The path of a page on the site, from that of its Markdown in the repository; both from the root, without a slash before. */
export function pageOf(path: string): string {
  return (
    renamed[path] ??
    path
      .replace(/^docs\//, "")
      .replace(/^compiler\/diagnostics\/docs\//, "codes/")
      .replace(/README\.md$/, "index.md")
  );
}

/**
 * The anchor of a heading, as GitHub makes it, so that links work there and on the site.
 */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** What pages link to and is not a page: copied beside them as text, so that browsers show it. */
class LinkedFiles {
  readonly #paths = new Set<string>();

  /** Where the site has this file. */
  add(path: string): string {
    this.#paths.add(path);
    return `files/${path}.txt`;
  }

  /** Writes the files into the folder of the site. */
  copyTo(folder: string): void {
    for (const path of this.#paths) {
      const target = join(folder, "files", `${path}.txt`);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(root, path), target);
    }
  }
}

export const linkedFiles = new LinkedFiles();

/** Where a link of a page leads on the site, or undefined for a folder that has no page. */
export function targetOf(page: string, href: string): string | undefined {
  const [path = "", anchor] = href.split("#");
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  const target = path === "" ? page : posix.join(posix.dirname(page), path);
  const full = join(root, target);
  if (!existsSync(full)) throw new Error(`${page}: the link ${href} leads nowhere`);
  if (statSync(full).isDirectory()) {
    const readme = posix.join(target, "README.md");
    return existsSync(join(root, readme)) ? `/${pageOf(readme)}${suffix}` : undefined;
  }
  return target.endsWith(".md") ? `/${pageOf(target)}${suffix}` : `/${linkedFiles.add(target)}`;
}

/** The part of markdown-it that is used here. */
interface Markdown {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: State) => void): void };
  };
  readonly renderer: { readonly rules: Record<string, unknown> };
  readonly utils: { escapeHtml(text: string): string };
}

interface State {
  /** `realPath` is where the Markdown lies; `path` where its page will be. */
  readonly env: { readonly path: string; readonly realPath?: string };
  readonly tokens: readonly Token[];
}

interface Token {
  type: string;
  tag: string;
  attrs: [string, string][] | null;
  readonly content: string;
  readonly children: readonly Token[] | null;
}

/** Has Markdown link to pages of the site where it links to files of the repository. */
export function relinked(markdown: Markdown): void {
  markdown.core.ruler.push("relink", ({ env, tokens }) => {
    const page = relative(root, env.realPath ?? env.path);
    const open: boolean[] = [];
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === "link_close" && open.pop() === false) asText(token);
      if (token.type !== "link_open") continue;
      const href = token.attrs?.find(([name]) => name === "href");
      const isInside = href !== undefined && !/^([a-z]+:|#)/.test(href[1]);
      const target = isInside ? targetOf(page, decodeURI(href[1])) : href?.[1];
      open.push(target !== undefined);
      if (target === undefined) asText(token);
      else if (href !== undefined) href[1] = target;
    }
  });
}

/**
 * Has Markdown be text alone: Vue, which draws the pages, would run `{{ }}` in it, and take `<NAME>` for a component.
 */
export function withoutTemplates({ renderer, utils }: Markdown): void {
  const asText = (text: string) => utils.escapeHtml(text).replaceAll("{{", "&#123;&#123;");
  const rule = (tokens: readonly Token[], index: number) => {
    const { content = "" } = tokens[index] ?? {};
    return content.startsWith("<!--") ? "" : asText(content);
  };
  const code = (tokens: readonly Token[], index: number) =>
    `<code>${asText(tokens[index]?.content ?? "")}</code>`;
  Object.assign(renderer.rules, { text: rule, html_inline: rule, html_block: rule, code_inline: code });
}

function asText(token: Token): void {
  token.type = token.type === "link_open" ? "em_open" : "em_close";
  token.tag = "span";
  token.attrs = null;
}
