// Messages of this page and of the kit, by their names.

import type { kitEnglish } from "../kit/english.ts";
import { messageFor, type Translate } from "../kit/messages.ts";
import type { portalEnglish } from "./messages/english.ts";

/** Gives a message in the language of the page. */
export const t: Translate<typeof kitEnglish & typeof portalEnglish> = messageFor;
