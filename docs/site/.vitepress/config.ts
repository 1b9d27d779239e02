import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { linkedFiles, pageOf, relinked, root, slugOf, withoutTemplates } from "../pages.ts";
import { sidebarOf } from "../sidebar.ts";

const grammar = (name: string) =>
  JSON.parse(readFileSync(join(root, `editor/vscode/syntaxes/${name}.tmLanguage.json`), "utf8"));

/** Pages lie outside the folder of this package, where Vue, which draws them ahead, would not be found. */
const rendererOfPages = {
  name: "renderer-of-pages",
  enforce: "pre" as const,
  resolveId: (id: string, _importer?: string, { ssr }: { ssr?: boolean } = {}) =>
    ssr === true && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined,
};

export default defineConfig({
  title: "Sluice",
  description: "A compiler for streaming gateways",
  lang: "en",
  base: process.env.DOCS_BASE ?? "/",
  srcDir: root,
  srcExclude: [
    "**/node_modules/**",
    "out/**",
    "dist/**",
    "test/**/!(README).md",
    "docs/site/node_modules/**",
    "bench/out/**",
  ],
  cacheDir: join(root, ".cache/docs"),
  rewrites: pageOf,
  lastUpdated: false,
  markdown: {
    languages: [{ ...grammar("blobl"), name: "blobl" }],
    languageAlias: { console: "shellsession", elisp: "lisp" },
    anchor: { slugify: slugOf },
    config: (markdown) => {
      withoutTemplates(markdown);
      relinked(markdown);
    },
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // Pages with more of the words first: a heading with one of them has a higher score than a text with all.
            filter: (result: { score: number; readonly queryTerms: readonly string[] }) => {
              result.score *= 10 ** result.queryTerms.length;
              return true;
            },
            // Words of questions are in every text.
            processTerm: (term: string) =>
              /^(an?|are|can|do|does|how|i|is|my|of|the|to|what|when|where|which|why)$/i.test(term)
                ? null
                : term.toLowerCase(),
            // Guides, which lie at the root, before the READMEs of folders; last the changes, whose texts are long lists.
            boostDocument: (id: string) => (id.startsWith("/changes") ? 0.1 : /^\/[^/]+$/.test(id) ? 1 : 0.3),
          },
        },
      },
    },
    outline: { level: [2, 3] },
    sidebar: sidebarOf(readFileSync(join(root, "docs/README.md"), "utf8")),
    socialLinks: [],
  },
  vite: {
    build: { chunkSizeWarningLimit: 2000 }, // the reference is one long page
    plugins: [rendererOfPages],
  },
  buildEnd: ({ outDir }) => linkedFiles.copyTo(outDir),
});
