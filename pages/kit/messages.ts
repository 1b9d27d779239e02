// Messages in the language of the user. A page loads the messages of one language; its code contains only their names.

import { signal } from "@preact/signals";
import type { kitEnglish } from "./english.ts";
import { type Language, type Messages, type Plurals, saidIn } from "./message-types.ts";

type NamesIn<T> = T extends `${string}{${infer N}}${infer R}` ? N | NamesIn<R> : never;
type TextIn<M> = M extends string ? M : M extends Plurals ? M[keyof M] : never;
/** The arguments of a message: none, or a value for each placeholder. */
type Given<M> = [NamesIn<TextIn<M>>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<TextIn<M>>, string | number>>];

/** Returns a message by name. A wrong name, and missing or surplus values, do not compile. */
export type Translate<M extends Messages> = <K extends keyof M & string>(
  name: K,
  ...given: Given<M[K]>
) => string;

const spoken = signal<Language>({ language: "en", messages: {} });

/** Sets the language of the page and updates everything shown. */
export function speak(language: Language): void {
  spoken.value = language;
  document.documentElement.lang = language.language;
}

/** Returns the tag of the page's language. */
export function languageTag(): string {
  return spoken.value.language;
}

/**
 * Returns a message with its values; numbers are formatted for its language. Returns the name if there is no such
 * message.
 */
export function messageFor(name: string, values: Readonly<Record<string, string | number>> = {}): string {
  const { messages } = spoken.value;
  const message = messages[name] ?? name;
  const text = typeof message === "string" ? message : formFor(message, Number(values.count));
  return text.replace(/\{(\w+)\}/g, (written, key: string) => {
    const value = values[key];
    return typeof value === "number" ? numberText(value) : (value ?? written);
  });
}

/** The messages of the kit. */
export const t: Translate<typeof kitEnglish> = messageFor;

function formFor(message: Plurals, count: number): string {
  return message[new Intl.PluralRules(languageTag()).select(count)] ?? message.other;
}

/** Returns the translation of a server text, or the text itself if there is none. */
export function understood(words: string): string {
  return saidIn(spoken.value.said, words);
}

/** Returns the user's variant of the page's language, such as `en-GB`, for dates and numbers. */
export function locale(): string {
  const tag = languageTag();
  return navigator.languages.find((each) => each.split("-")[0] === tag) ?? tag;
}

/** Formats a number in the user's locale. */
export function numberText(value: number): string {
  return value.toLocaleString(locale());
}
