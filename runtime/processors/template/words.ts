// Functions that change how the words of a name are joined: `FirstName`, `first_name`, `first-name`.

import { lowercase, uppercase } from "../../mapping/strings.ts";
import { unicodePattern } from "../../text/memo.ts";
import { spend } from "../jq/run.ts";

const upperCase = /* @__PURE__ */ unicodePattern("\\p{Lu}");
const letter = /* @__PURE__ */ unicodePattern("\\p{L}");
const digit = /* @__PURE__ */ unicodePattern("\\p{N}");
const punctuation = /* @__PURE__ */ unicodePattern("\\p{P}");
/** Characters without case do not form words. */
const ideograph = /[\u3400-\u4d85\u4e00-\u9fcc\u{20000}-\u{2b81d}]/u;
const connector = /[-_\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

const lower = (text: string): string => String(lowercase(text, ""));
const upper = (text: string): string => String(uppercase(text, ""));

export function snakecase(text: string): string {
  return joined(text, "_");
}

export function kebabcase(text: string): string {
  return joined(text, "-");
}

/** Joins words by capitals. Separators at the beginning and repeated ones stay. */
export function camelcase(text: string): string {
  const characters = [...text];
  spend(characters.length);
  const start = characters.findIndex((character) => !connector.test(character));
  if (start < 0) return text;
  let result = characters.slice(0, start).join("");
  let wasUpper = upperCase().test(characters[start] ?? "");
  let before = upper(characters[start] ?? "");
  for (const character of characters.slice(start + 1)) {
    if (connector.test(before)) {
      if (connector.test(character)) {
        result += before;
        before = character;
        continue;
      }
      wasUpper = upperCase().test(character);
      before = upper(character);
      continue;
    }
    result += before;
    if (wasUpper && upperCase().test(character)) before = lower(character);
    else {
      if (!connector.test(character)) wasUpper = false;
      else wasUpper = wasUpper && upperCase().test(character);
      before = character;
    }
  }
  return result + before;
}

type Kind = "number" | "capitals" | "letters" | "connector" | "punctuation" | "other";

interface Word {
  readonly kind: Kind;
  readonly text: string;
}

/** Joins the words with a separator, in small letters. */
function joined(text: string, separator: string): string {
  const words = wordsOf(text);
  let result = "";
  const write = ({ kind, text: word }: Word): void => {
    if (kind === "connector") result += separator.repeat([...word].length);
    else result += kind === "capitals" ? lower(word) : word;
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? { kind: "other", text: "" };
    const next = words[at + 1];
    write(word);
    if (next === undefined || word.kind === "connector" || word.kind === "punctuation") continue;
    const isApart = ({ kind }: Word): boolean => kind !== "connector" && kind !== "punctuation";
    if (word.kind === "number") {
      // Letters and digits after a number belong to its word.
      let following: Word | undefined = next;
      while (following?.kind === "letters" || following?.kind === "number") {
        write(following);
        at++;
        following = words[at + 1];
      }
      if (following !== undefined && isApart(following)) result += separator;
      continue;
    }
    if (next.kind !== "number") {
      if (isApart(next)) result += separator;
      continue;
    }
    const after = words[at + 2];
    // A number at the end of a word belongs to it: `Bld4Floor`. One before small letters begins a word: `HTTP2xx`.
    if (after === undefined) continue;
    if (after.kind !== "letters") {
      write(next);
      at++;
      if (isApart(after)) result += separator;
      continue;
    }
    result += separator;
    write(next);
    at++;
    let following: Word | undefined = after;
    while (following?.kind === "letters" || following?.kind === "number") {
      write(following);
      at++;
      following = words[at + 1];
    }
    if (following !== undefined && following.kind !== "connector") result += separator;
  }
  return result;
}

function kindOf(character: string): Kind {
  if (connector.test(character)) return "connector";
  if (punctuation().test(character)) return "punctuation";
  if (upperCase().test(character)) return "capitals";
  if (letter().test(character) && !ideograph.test(character)) return "letters";
  return digit().test(character) ? "number" : "other";
}

/** Splits a text. A capital and the small letters after it are one word, and so are several capitals. */
function wordsOf(text: string): readonly Word[] {
  const characters = [...text];
  const words: Word[] = [];
  spend(characters.length);
  for (let start = 0, end = 0; start < characters.length; start = end) {
    const kind = kindOf(characters[start] ?? "");
    const runTo = (from: number, wanted: Kind): number => {
      let at = from;
      while (at < characters.length && kindOf(characters[at] ?? "") === wanted) at++;
      return at;
    };
    end = runTo(start + 1, kind);
    if (kind === "capitals") {
      if (end === start + 1) end = runTo(end, "letters");
      // The last of several capitals begins the next word: `HTTPServer`.
      else if (kindOf(characters[end] ?? "") === "letters") end--;
    }
    words.push({ kind, text: characters.slice(start, end).join("") });
  }
  return words;
}
