// Texts of the portal in the language of a reader. Linked with what writes them: the page, accounts, e-mails.

import { english, type TextName } from "./english.ts";
import { german } from "./german.ts";
import type { Languages } from "./languages.ts";

const own: ReadonlyMap<string, Readonly<Record<TextName, string>>> = /* @__PURE__ */ new Map<
  string,
  Readonly<Record<TextName, string>>
>([
  ["en", english],
  ["de", german],
]);

/** A text with its values; in English where the language lacks it. The operator's file of a language wins. */
export function textIn(
  { additional }: Languages,
  language: string,
  name: TextName,
  values: Readonly<Record<string, string>> = {},
): string {
  const given = additional.get(language)?.messages[name];
  const text = typeof given === "string" ? given : (own.get(language) ?? english)[name];
  return text.replace(/(?<!\{)\{(\w+)\}(?!\})/g, (written, key: string) => values[key] ?? written);
}
