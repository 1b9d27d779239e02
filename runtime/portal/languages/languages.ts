// The languages of a portal: those that come with it, and those of the operator's message files. Texts in the
// language of a reader.

import { EnvironmentError } from "../../process/environment.ts";
import { english, type TextName } from "./english.ts";
import { german } from "./german.ts";

/** The `languages` block of a portal. */
export interface LanguagesOptions {
  /** For people whose browser asks for none of the others; `en` by default. */
  readonly default?: string;
  /** Message files, as the texts that they hold. */
  readonly additional?: readonly string[];
}

/** A message file: JSON of this shape. */
export interface MessageFile {
  /** A tag of BCP 47, such as `fr`. */
  readonly language: string;
  /** Texts by the names of messages, or texts by the plural categories of a count. */
  readonly messages: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** What answers of the portal say in English, with what people read in its place. */
  readonly said: Readonly<Record<string, string>>;
}

/** The languages that people can choose from. */
export interface Languages {
  /** All of them, by their tags. */
  readonly tags: readonly string[];
  readonly usual: string;
  readonly additional: ReadonlyMap<string, MessageFile>;
}

/** Tags of the languages that come with the portal. */
export const ownLanguages = ["en", "de"] as const;

const tagPattern = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

/** Reads the block. Throws an `EnvironmentError` with everything that is wrong with the message files and the default. */
export function configureLanguages({ default: usual = "en", additional = [] }: LanguagesOptions): Languages {
  const problems: string[] = [];
  const files = additional.flatMap((text, index) => {
    const file = readMessageFile(text);
    if (typeof file !== "string") return [file];
    problems.push(`message file ${index + 1} of the portal: ${file}`);
    return [];
  });
  const tags = [...new Set([...ownLanguages, ...files.map(({ language }) => language)])];
  if (problems.length === 0 && !tags.includes(usual))
    problems.push(`the portal has no messages in its default language ${usual}, only in ${tags.join(", ")}`);
  if (problems.length > 0) throw new EnvironmentError(problems);
  return { tags, usual, additional: new Map(files.map((file) => [file.language, file])) };
}

/** A message file; a text says what is wrong with it. */
function readMessageFile(text: string): MessageFile | string {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  const { language, messages, said = {} } = Object(read) as Partial<Record<keyof MessageFile, unknown>>;
  if (typeof language !== "string" || !tagPattern.test(language))
    return "`language` is not the tag of a language, such as `fr`";
  if (!isRecord(messages)) return "`messages` is not an object";
  const wrong = Object.entries(messages).find(([, message]) => !isMessage(message));
  if (wrong !== undefined)
    return `the message \`${wrong[0]}\` is neither a text nor an object of texts with \`other\``;
  if (!isRecord(said) || !Object.values(said).every(isText)) return "`said` is not an object of texts";
  return { language, messages, said } as MessageFile;
}

function isMessage(value: unknown): boolean {
  return isText(value) || (isRecord(value) && isText(value.other) && Object.values(value).every(isText));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The language for a person: the one that the person has chosen, where there is such a one, else the best one for an
 * `Accept-Language` header (RFC 9110, section 12.5.4; looked up as in RFC 4647, section 3.4), else the default.
 */
export function chooseLanguage(
  { tags, usual }: Languages,
  accepted: string | undefined,
  chosen: string | undefined,
): string {
  if (chosen !== undefined && tags.includes(chosen)) return chosen;
  for (const range of rangesOf(accepted ?? "")) {
    if (range === "*") return usual;
    const found = findTag(tags, range);
    if (found !== undefined) return found;
  }
  return usual;
}

/** The ranges of a header in lower case, the preferred one first; those with `q=0` are left out. */
function rangesOf(accepted: string): readonly string[] {
  return accepted
    .toLowerCase()
    .split(",")
    .map((each) => {
      const [range = "", ...parameters] = each.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return { range, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ range, weight }) => range !== "" && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) => range);
}

/** `de-AT` finds `de-at`, else `de`, else a variant such as `de-CH`. */
function findTag(tags: readonly string[], range: string): string | undefined {
  const parts = range.split("-");
  const shorter = parts.map((_, index) => parts.slice(0, parts.length - index).join("-"));
  const exact = shorter.flatMap((each) => tags.filter((tag) => tag.toLowerCase() === each));
  return exact[0] ?? tags.find((tag) => tag.toLowerCase().startsWith(`${parts[0]}-`));
}

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
