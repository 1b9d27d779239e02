// Writes the scripts of the pages that gateways serve: a gateway is one file, so its pages are texts in it. Called by
// `generate-options.ts`, which says what else is generated.

import { bundlePage, type Page } from "../pages/bundle.ts";

/** Pages of gateways, and the room that serves each. */
const rooms: readonly (readonly [page: Page, folder: string])[] = [
  ["admin", "runtime/gateway/admin"],
  ["portal", "runtime/portal"],
];

/** `generated/page-script.ts` of each room that serves a page. */
export async function generatePages(): Promise<readonly { path: string; text: string }[]> {
  return Promise.all(
    rooms.map(async ([page, folder]) => {
      const { script } = await bundlePage(page);
      const text = [
        `// Generated from pages/${page}/ by scripts/generate-options.ts. Do not edit.\n`,
        "/** What the page does in a browser. */",
        `export const pageScript = ${templateOf(script)};\n`,
      ].join("\n");
      return { path: `${folder}/generated/page-script.ts`, text };
    }),
  );
}

/** A template literal of this text, so that its lines stay lines. */
function templateOf(text: string): string {
  return `\`${text.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`)}\``;
}
