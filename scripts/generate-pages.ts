// Writes the files of the pages that gateways serve: a gateway is one file, so its pages are texts in it. Called by
// `generate-options.ts`, which says what else is generated.

import { brotliCompressSync, constants } from "node:zlib";
import { bundlePage, type Page } from "../pages/bundle.ts";
import { kitEnglish } from "../pages/kit/english.ts";
import { kitGerman } from "../pages/kit/german.ts";
import { portalEnglish } from "../pages/portal/messages/english.ts";
import { portalGerman } from "../pages/portal/messages/german.ts";
import { germanSaid } from "../pages/portal/messages/german-said.ts";
import { english } from "../runtime/portal/languages/english.ts";
import { german } from "../runtime/portal/languages/german.ts";

/** Pages of gateways, and the room that serves each. */
const rooms: readonly (readonly [page: Page, folder: string])[] = [
  ["admin", "runtime/gateway/admin"],
  ["portal", "runtime/portal"],
];

/** `generated/page-files.ts` of each room that serves a page. */
export async function generatePages(): Promise<readonly { path: string; text: string }[]> {
  return Promise.all(
    rooms.map(async ([page, folder]) => {
      const { script, style } = await bundlePage(page);
      const text = [
        `// Generated from pages/${page}/ by scripts/generate-options.ts. Do not edit.\n`,
        "/** What the page does in a browser: Brotli as base64. */",
        `export const pageScript = \`\n${packed(script)}\`;\n`,
        "/** How the page looks: Brotli as base64. */",
        `export const pageStyle = \`\n${packed(style)}\`;\n`,
        ...(page === "portal" ? [portalMessages()] : []),
      ].join("\n");
      return { path: `${folder}/generated/page-files.ts`, text };
    }),
  );
}

/** The messages of the portal's page and of the portal itself, as operators may write such files for other languages. */
function portalMessages(): string {
  const identical = Object.fromEntries(Object.keys(germanSaid).map((words) => [words, words]));
  const languages = [
    { language: "en", messages: { ...kitEnglish, ...portalEnglish, ...english }, said: identical },
    { language: "de", messages: { ...kitGerman, ...portalGerman, ...german }, said: germanSaid },
  ];
  const entries = languages.map((each) => `  ${each.language}: \`\n${packed(JSON.stringify(each))}\`,\n`);
  return `/** Its messages by language: JSON, Brotli, base64. */\nexport const pageMessages = {\n${entries.join("")}};\n`;
}

/** Brotli gives the same bytes on every machine, which gzip of Node does not. */
function packed(text: string): string {
  const bytes = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return bytes.toString("base64").replaceAll(/.{1,110}/g, "$&\n");
}
