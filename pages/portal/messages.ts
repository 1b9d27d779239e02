// Messages of this page and of the kit, by their names.

import type { kitEnglish } from "../kit/english.ts";
import { messageFor, type Translate } from "../kit/messages.ts";
import type { portalEnglish } from "./messages/english.ts";

/** Gives a message in the language of the page. */
export const t: Translate<typeof kitEnglish & typeof portalEnglish> = messageFor;

/** An operation of the audit log; its id where there are no words for it, as of a portal of another version. */
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
