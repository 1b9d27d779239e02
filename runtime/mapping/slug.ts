// Converts text to a part of a URL: Latin letters, digits and dashes.

import { transliterate } from "transliteration";
import type { Value } from "../message/value.ts";
import { trimmed } from "../text/trim.ts";
import { pluginText, textArgument } from "./arguments.ts";

/** The words for `&` and `@` by language. */
const words: Readonly<Record<string, readonly [and: string, at?: string]>> = {
  cs: ["a", "zavinac"],
  de: ["und", "an"],
  el: ["kai"],
  en: ["and", "at"],
  es: ["y", "en"],
  fi: ["ja", "at"],
  fr: ["et", "arobase"],
  id: ["dan"],
  it: ["e", "chiocciola"],
  kk: ["jane"],
  nb: ["og", "at"],
  nl: ["en", "at"],
  pl: ["i", "na"],
  ro: ["si"],
  sl: ["in"],
  sv: ["och", "snabel a"],
  tr: ["ve", "et"],
};

/** Letters whose transliteration in a language differs from the default of their script. */
const letters: Readonly<Record<string, readonly string[]>> = {
  bg: ["йy", "хh", "Щsh", "щsht", "ъa", "ьy", "юyu", "яya"],
  de: ["äae", "öoe", "üue"],
  el: ["βv", "ηi", "ήi", "Ξx", "υy", "ύy", "ϋy", "ΰy", "φf", "χch", "ωo", "ώo"],
  nb: ["æae", "øoe", "åaa"],
  sl: ["đdz"],
};

/** Transliteration of the reference engine in every language, where the library's table differs. */
const common = [
  ..."ýy,ǳdz,ßss,βb,ηe,ήe,Ξks,υu,ύu,ϋu,ΰu,φph,χkh,ѐie,ёio,йi,хkh,цts,щshch,ъ-,ь-,юiu,яia,ع-".split(","),
  ..."しshi,ちchi,っtsu,つtsu,シshi,チchi,ッtsu,ツtsu".split(","),
];

/** Symbols made of letters, such as `™`, which have no transliteration in the reference engine. */
const symbols = /[\u2102\u210a-\u210e\u2110-\u211d\u2120-\u2124\u2127\u2128\u212c-\u2131\u2133-\u213a]/g;

/** Other codes of the languages above, and of languages without words or letters here. */
const codes: Readonly<Record<string, string>> = {
  bgr: "bg",
  ces: "cs",
  deu: "de",
  ell: "el",
  eng: "en",
  fin: "fi",
  fra: "fr",
  gr: "el",
  hun: "hu",
  idn: "id",
  ind: "id",
  ita: "it",
  kaz: "kk",
  kz: "kk",
  nld: "nl",
  nn: "nb",
  nno: "nb",
  nob: "nb",
  pol: "pl",
  rou: "ro",
  slv: "sl",
  spa: "es",
  swe: "sv",
  tur: "tr",
};
/** Languages without words or letters here that do not fall back to English. */
const plain = /* @__PURE__ */ new Set(["bg", "hu"]);

/** `.slug(lang)`: an unknown language counts as English. */
export function slug(target: Value, _from: string, lang: Value): string {
  const given = textArgument("method 'slug'", "lang", lang).toLowerCase();
  const code = codes[given] ?? given;
  const language = Object.hasOwn(words, code) || plain.has(code) ? code : "en";
  const text = substituted(pluginText(target).trim().replace(symbols, ""), language);
  const dashed = transliterate(text)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/-+/g, "-");
  return trimmed(dashed, "-_");
}

function substituted(text: string, language: string): string {
  const [and, at] = words[language] ?? [];
  const replacements = new Map(['"', "'", "\u2019"].map((quote) => [quote, ""]));
  if (and !== undefined) replacements.set("&", and);
  if (at !== undefined) replacements.set("@", at);
  for (const [letter = "", ...latin] of [...common, ...(letters[language] ?? [])])
    replacements.set(letter, latin.join(""));
  let result = "";
  for (const character of text) {
    result += replacements.get(character) ?? replacements.get(character.toLowerCase()) ?? character;
  }
  return result;
}
