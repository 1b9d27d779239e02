// Which fixes can be carried out: every edit lands on text that stands in the file as it is, and what it
// puts there means the same in every YAML style and in JSON.

import type { Edit, Fix } from "../diagnostic.ts";
import { findFileRange } from "./file-range.ts";

/** Text that needs no quotes and no escapes wherever text may stand. */
const plainText = /^[\w$./-]*$/;

/** The fix, unless one of its edits cannot be carried out. */
export function keepApplicable(fix: Fix | undefined): Fix | undefined {
  return fix?.edits.every(isApplicable) ? fix : undefined;
}

function isApplicable({ span, text }: Edit): boolean {
  return plainText.test(text) && findFileRange(span) !== undefined;
}
