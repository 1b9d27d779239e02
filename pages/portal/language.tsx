// The language of the page: chosen by the server for this browser, until the user chooses another one.

import type { DeveloperName } from "../../runtime/portal/page/own-records.ts";
import type { Language } from "../kit/message-types.ts";
import { languageTag, speak } from "../kit/messages.ts";
import { askFor } from "../kit/requests.ts";
import { attempt } from "../kit/toasts.tsx";
import { askOwn, person, type Written } from "./interface.ts";
import { t } from "./messages.ts";

/** Tags of all languages, listed in the document of the page. */
const offered = (document.documentElement.dataset.languages ?? "").split(" ").filter(Boolean);

/** Loads a language. Other languages are not loaded. */
export function loadLanguage(tag: string): Promise<Language> {
  return askFor<Language>("GET", `messages.${encodeURIComponent(tag)}.json`);
}

/** Switches to the language that the developer has chosen, if it differs. */
export async function adoptLanguage(): Promise<void> {
  const { language } = await askOwn<DeveloperName>("GET", "/me");
  if (language === languageTag() || !offered.includes(language)) return;
  speak(await loadLanguage(language));
  await keep(language);
}

/** Switches to a language and stores the choice on the server, for the developer if one is logged in. */
async function choose(tag: string): Promise<void> {
  const chosen = await loadLanguage(tag);
  await (person.value?.kind === "developer"
    ? askOwn<Written>("PUT", "/language", { language: tag })
    : keep(tag));
  speak(chosen);
}

/** Stores the language for this browser. */
function keep(language: string): Promise<Written> {
  return askFor<Written>("PUT", "entrance/language", { body: JSON.stringify({ language }) });
}

/** A control to choose the language; renders nothing if there is only one. */
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

/** Returns the name of a language in that language. */
function nameOf(tag: string): string {
  return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
}
