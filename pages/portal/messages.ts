// The messages of this page and of the kit.

import type { kitEnglish } from "../kit/english.ts";
import { messageFor, type Translate } from "../kit/messages.ts";
import type { portalEnglish } from "./messages/english.ts";

/** Returns a message in the language of the page. */
export const t: Translate<typeof kitEnglish & typeof portalEnglish> = messageFor;

/**
 * Returns the name of an audit log operation, or its id if there is no message for it, as for another version of the
 * portal.
 */
export function operationInWords(id: string): string {
  const said = (operation: string) => {
    const name = `audit.did.${operation}`;
    const words = messageFor(name);
    return words === name ? undefined : words;
  };
  const ofTeam = /^(.+)OfTeam$/.exec(id)?.[1];
  const what = ofTeam === undefined ? undefined : said(ofTeam);
  return said(id) ?? (what === undefined ? id : t("audit.ofTeam", { what }));
}
