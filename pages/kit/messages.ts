// What people read, in the language of the reader. A page loads the messages of one language; its code knows their names only.

import { signal } from "@preact/signals";
import type { kitEnglish } from "./english.ts";
import { type Language, type Messages, type Plurals, saidIn } from "./message-types.ts";

type NamesIn<T> = T extends `${string}{${infer N}}${infer R}` ? N | NamesIn<R> : never;
type TextIn<M> = M extends string ? M : M extends Plurals ? M[keyof M] : never;
/** What a message takes: nothing, or a value for each of its names. */
type Given<M> = [NamesIn<TextIn<M>>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<TextIn<M>>, string | number>>];

/** Gives a message by its name. A wrong name, and a value that is missing or too many, do not compile. */
export type Translate<M extends Messages> = <K extends keyof M & string>(
  name: K,
  ...given: Given<M[K]>
) => string;

const spoken = signal<Language>({ language: "en", messages: {} });

/** Has the page speak a language from now on; what is shown changes with it. */
export function speak(language: Language): void {
  spoken.value = language;
  document.documentElement.lang = language.language;
}

/** The tag of the language that the page speaks. */
export function languageTag(): string {
  return spoken.value.language;
}

/** A message with its values; numbers are written as in its language. The name where the language has no such message. */
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

/** What the server has said, in the language of the page where that knows it. */
export function understood(words: string): string {
  return saidIn(spoken.value.said, words);
}

/** The reader's own variant of the language of the page, such as `en-GB`; dates and numbers follow it. */
export function locale(): string {
  const tag = languageTag();
  return navigator.languages.find((each) => each.split("-")[0] === tag) ?? tag;
}

/** A number as the reader writes it. */
export function numberText(value: number): string {
  return value.toLocaleString(locale());
}
