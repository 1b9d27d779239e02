// The languages of a portal: the built-in ones and those in the operator's message files. Chooses a language for a
// reader and returns texts in it.

import { EnvironmentError } from "../../process/environment.ts";
import { english, type TextName } from "./english.ts";
import { german } from "./german.ts";

/** The `languages` block of a portal. */
export interface LanguagesOptions {
  /** The language for people whose browser accepts none of the others; `en` by default. */
  readonly default?: string;
  /** The contents of the message files. */
  readonly additional?: readonly string[];
}

/** A message file: a JSON object of this shape. */
export interface MessageFile {
  /** A language tag of BCP 47, such as `fr`. */
  readonly language: string;
  /** Texts by message name, or texts by the plural category of a count. */
  readonly messages: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Translations of the English texts in responses of the portal. */
  readonly said: Readonly<Record<string, string>>;
}

/** The languages that people can choose. */
export interface Languages {
  /** The tags of all languages. */
  readonly tags: readonly string[];
  readonly usual: string;
  readonly additional: ReadonlyMap<string, MessageFile>;
}

/** The tags of the built-in languages. */
export const ownLanguages = ["en", "de"] as const;

const tagPattern = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

/** Reads the block. Throws an `EnvironmentError` with all problems of the message files and the default. */
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

/** Parses a message file; returns a text that describes the problem if it is not valid. */
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
 * Returns the language for a person: the chosen one if the portal has it, otherwise the best match for an
 * `Accept-Language` header (RFC 9110, section 12.5.4, with the lookup of RFC 4647, section 3.4), otherwise the default.
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

/** Returns the language ranges of a header in lower case, in order of preference. Omits those with `q=0`. */
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

/** `de-AT` matches `de-at`, otherwise `de`, otherwise a variant such as `de-CH`. */
function findTag(tags: readonly string[], range: string): string | undefined {
  const [first = ""] = range.split("-", 1);
  // The longest of the tags that are the range, or its beginning up to a `-`.
  const [exact] = tags
    .filter((tag) => `${range}-`.startsWith(`${tag.toLowerCase()}-`))
    .toSorted((one, other) => other.length - one.length);
  return exact ?? tags.find((tag) => tag.toLowerCase().startsWith(`${first}-`));
}

const own: ReadonlyMap<string, Readonly<Record<TextName, string>>> = /* @__PURE__ */ new Map<
  string,
  Readonly<Record<TextName, string>>
>([
  ["en", english],
  ["de", german],
]);

/**
 * Returns a text with its values, in English if the language lacks it. The operator's message file takes precedence.
 */
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
