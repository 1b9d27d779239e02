// Types of messages in any language. Scripts import this file, too, so it uses no browser API.

/** Forms of a message by the plural category of `count` (CLDR); `other` is used if a form is missing. */
export type Plurals = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** Messages by name. `{…}` in a message is a placeholder. */
export type Messages = Readonly<Record<string, string | Plurals>>;

/** Messages of another language. Missing or surplus messages, and plural forms for a plain message, do not compile. */
export type Translated<M extends Messages> = {
  readonly [K in keyof M]: M[K] extends string ? string : Plurals;
};

/** A language and its messages. */
export interface Language {
  /** A BCP 47 tag, such as `de`. */
  readonly language: string;
  readonly messages: Messages;
  /** Translations of English texts from the server. */
  readonly said?: Readonly<Record<string, string>>;
}

/** Matches the variable parts of server texts: numbers, and codes in parentheses. */
const particulars = /\d+|(?<=\()[A-Z][A-Z\d_]*(?=\))/g;

/**
 * Returns the translation of an English server text, if there is one. `{}` in a translation stands for a variable
 * part.
 */
export function saidIn(said: Language["said"] = {}, words: string): string {
  const values = words.match(particulars) ?? [];
  const known = said[words] ?? said[words.replace(particulars, "{}")];
  let next = 0;
  return known?.replaceAll("{}", () => values[next++] ?? "{}") ?? words;
}
