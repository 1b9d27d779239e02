// What messages are, in whichever language. Scripts read this, too, so nothing of browsers is named here.

/** Forms of a message by the plural category of `count` in the language (CLDR); `other` counts where a form is missing. */
export type Plurals = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** Messages by their names. `{…}` in a message is where a value goes. */
export type Messages = Readonly<Record<string, string | Plurals>>;

/** Messages of another language: a missing, a surplus and a plural message in place of a plain one do not compile. */
export type Translated<M extends Messages> = {
  readonly [K in keyof M]: M[K] extends string ? string : Plurals;
};

/** A language with what is written in it. */
export interface Language {
  /** A tag of BCP 47, such as `de`. */
  readonly language: string;
  readonly messages: Messages;
  /** What the server says in English, with what people read in its place. */
  readonly said?: Readonly<Record<string, string>>;
}

/** Numbers, and codes in brackets: what differs between two times that the server says the same. */
const particulars = /\d+|(?<=\()[A-Z][A-Z\d_]*(?=\))/g;

/** What the server says in English, in another language where that has it; `{}` stands there for each of its particulars. */
export function saidIn(said: Language["said"] = {}, words: string): string {
  const values = words.match(particulars) ?? [];
  const known = said[words] ?? said[words.replace(particulars, "{}")];
  let next = 0;
  return known?.replaceAll("{}", () => values[next++] ?? "{}") ?? words;
}
