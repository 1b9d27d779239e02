// Generates the files of the pages that gateways serve. A gateway is one file, so its pages are texts in it. Called by
// `generate-options.ts`.

import { brotliCompressSync, constants } from "node:zlib";
import { bundlePage, type Page } from "../pages/bundle.ts";
import { kitEnglish } from "../pages/kit/english.ts";
import { kitGerman } from "../pages/kit/german.ts";
import { portalEnglish } from "../pages/portal/messages/english.ts";
import { portalGerman } from "../pages/portal/messages/german.ts";
import { germanSaid } from "../pages/portal/messages/german-said.ts";
import { english } from "../runtime/portal/languages/english.ts";
import { german } from "../runtime/portal/languages/german.ts";

/** Pages of gateways, and the folder of the code that serves each. */
const rooms: readonly (readonly [page: Page, folder: string])[] = [
  ["admin", "runtime/gateway/admin"],
  ["portal", "runtime/portal"],
];

/** Returns `generated/page-files.ts` for each folder that serves a page. */
export async function generatePages(): Promise<readonly { path: string; text: string }[]> {
  return Promise.all(
    rooms.map(async ([page, folder]) => {
      const { script, style } = await bundlePage(page);
      const text = [
        `// Generated from pages/${page}/ by scripts/generate-options.ts. Do not edit.\n`,
        "/** The script of the page: Brotli as base64. */",
        `export const pageScript: string = \`\n${packed(script)}\`;\n`,
        "/** The style sheet of the page: Brotli as base64. */",
        `export const pageStyle: string = \`\n${packed(style)}\`;\n`,
        ...(page === "portal" ? [portalMessages()] : []),
      ].join("\n");
      return { path: `${folder}/generated/page-files.ts`, text };
    }),
  );
}

/** Returns the messages of the portal's page and of the portal, as a template for operators who add languages. */
function portalMessages(): string {
  const identical = Object.fromEntries(Object.keys(germanSaid).map((words) => [words, words]));
  const languages = [
    { language: "en", messages: { ...kitEnglish, ...portalEnglish, ...english }, said: identical },
    { language: "de", messages: { ...kitGerman, ...portalGerman, ...german }, said: germanSaid },
  ];
  const entries = languages.map((each) => `  ${each.language}: \`\n${packed(JSON.stringify(each))}\`,\n`);
  return `/** The messages of the page by language: JSON, Brotli, base64. */\nexport const pageMessages = {\n${entries.join("")}};\n`;
}

/** Compresses with Brotli, which produces the same bytes on every machine, unlike Node's gzip. */
function packed(text: string): string {
  const bytes = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return bytes.toString("base64").replaceAll(/.{1,110}/g, "$&\n");
}
