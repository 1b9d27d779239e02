// The language of the page: what the server chose for this browser, until a person chooses another one.

import type { DeveloperName } from "../../runtime/portal/page/own-records.ts";
import type { Language } from "../kit/message-types.ts";
import { languageTag, speak } from "../kit/messages.ts";
import { askFor } from "../kit/requests.ts";
import { attempt } from "../kit/toasts.tsx";
import { askOwn, person, type Written } from "./interface.ts";
import { t } from "./messages.ts";

/** Tags of all languages, as the document of the page names them. */
const offered = (document.documentElement.dataset.languages ?? "").split(" ").filter(Boolean);

/** Reads a language; no other one is loaded. */
export function loadLanguage(tag: string): Promise<Language> {
  return askFor<Language>("GET", `messages.${encodeURIComponent(tag)}.json`);
}

/** Shows the page in the language that the developer has chosen, where that is another one. */
export async function adoptLanguage(): Promise<void> {
  const { language } = await askOwn<DeveloperName>("GET", "/me");
  if (language === languageTag() || !offered.includes(language)) return;
  speak(await loadLanguage(language));
  await keep(language);
}

/** Shows the page in a language, and has the server remember that, for the developer where one has logged in. */
async function choose(tag: string): Promise<void> {
  const chosen = await loadLanguage(tag);
  await (person.value?.kind === "developer"
    ? askOwn<Written>("PUT", "/language", { language: tag })
    : keep(tag));
  speak(chosen);
}

/** Has this browser be given the page in a language. */
function keep(language: string): Promise<Written> {
  return askFor<Written>("PUT", "entrance/language", { body: JSON.stringify({ language }) });
}

/** Where a person chooses the language; nothing where there is one only. */
export function LanguageSwitch() {
  if (offered.length < 2) return null;
  return (
    <select
      class="language"
      aria-label={t("nav.language")}
      value={languageTag()}
      onChange={({ currentTarget: { value } }) => attempt(() => choose(value))}
    >
      {offered.map((tag) => (
        <option key={tag} value={tag} lang={tag}>
          {nameOf(tag)}
        </option>
      ))}
    </select>
  );
}

/** What those who speak a language call it. */
function nameOf(tag: string): string {
  return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
}
