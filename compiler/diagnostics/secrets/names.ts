// Names of fields, headers and parameters that contain secrets, and names that are probably misspelt forms of them.

import { secretWords, shortSecretWords } from "../../../runtime/text/secret-names.ts";
import { difference } from "../suggest.ts";

/** The last words of these names, without case, hyphens and underscores. */
const endings = new RegExp(`(?:${[...secretWords, "dsn"].join("|")})s?$`);

/** Names that are often misspelt. */
const spellings = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "privatekey",
  "credentials",
  "authorization",
  "cookie",
  "clientsecret",
  "accesstoken",
  "accesstokensecret",
  "consumersecret",
  "hmacsecret",
  "userjwt",
  "usernkeyseed",
  "basicauthdata",
  "connectionstring",
  "datasourcename",
];

/** Words that are similar to these names but have another meaning. */
const others: ReadonlySet<string> = new Set(["taken"]);

/** Maps in which every value is a secret, whatever its name. */
export const secretMap = /^endpoint_?par[a-z]{0,4}$/i;

/** The same maps if the colon after the name is missing or another sign. */
export const unassignedSecretMap =
  /(?<![\w.-])endpoint_?par[a-z]{0,4}["']?[ \t]{0,20}=?[ \t]{0,20}(?=[[{])/gi;

/** Cached results by name: a large document repeats a few names, and comparing spellings is slow. */
const known = new Map<string, boolean>();

/**
 * The maximum number of cached names and their maximum length, so that documents cannot fill the memory of a process.
 */
const maximumKnown = 32_768;
const longestKnown = 64;

/** Whether the value with this name is a secret, even if a few letters of the name are wrong. */
export function isSecretName(name: string): boolean {
  if (name.length > longestKnown) return judgeName(name);
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= maximumKnown) known.clear();
  const judged = judgeName(name);
  known.set(name, judged);
  return judged;
}

function judgeName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (shortSecretWords.includes(last) || endings.test(words.join(""))) return true;
  // A name of one word is three times the same.
  return [...new Set([last, words.slice(-2).join(""), words.join("")])].some(isMisspelt);
}

/**
 * Whether a word is a misspelt form. Short words resemble many others: they may differ in one letter, longer ones in
 * two.
 */
function isMisspelt(word: string): boolean {
  if (word.length < 4 || others.has(word)) return false;
  return spellings.some((spelling) => {
    const allowed = spelling.length > 6 ? 2 : 1;
    // Words differ in at least as many letters as their lengths.
    return Math.abs(word.length - spelling.length) <= allowed && difference(word, spelling) <= allowed;
  });
}

/** Returns the words of a name: `client` and `secret` for `clientSecret`, `client-secret` and `CLIENT_SECRET`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
