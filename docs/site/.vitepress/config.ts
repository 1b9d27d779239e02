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
            // Otherwise a heading with one of the words comes before the text that has all of them.
            combineWith: "AND",
            // Guides, which lie at the root, before the READMEs of folders.
            boostDocument: (id: string) => (/^\/[^/]+$/.test(id) ? 1 : 0.3),
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
