// Pages of text that administrators write for developers.

import { refusal } from "../../rest/answers.ts";
import { findRepeated } from "../../text/repeated.ts";
import type { Texts } from "../generated/texts.ts";

/** One of the pages. */
export type TextPage = NonNullable<Texts["pages"]>[number];

/** Rejects with 422 where two pages have one address. */
export function checkTexts({ pages = [] }: Texts): void {
  const slugs = pages.map(({ slug }) => slug);
  const twice = findRepeated(slugs);
  if (twice !== -1)
    throw refusal(422, "Texts object validation failed.", [
      `slug: pages.${twice} has the address of another page`,
    ]);
}

/** The pages that developers see. */
export function shownTexts({ pages = [] }: Texts): readonly TextPage[] {
  return pages.filter(({ show }) => show === true);
}
