// Quoting and escaping of text. Bytes and timestamps are accepted as text.

import type { Value } from "../message/value.ts";
import { percentEncode } from "../text/percent.ts";
import { quoteText, shortEscapes } from "../text/quoting.ts";
import { decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { spelledTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
};
const shortMeanings: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(shortEscapes).map(([character, sequence]) => [sequence, character]),
);
const escapeSequence = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|[abfnrtv\\"])/g;
const quoted =
  /^"(?:[^"\\\n]|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[abfnrtv\\"]))*"$/;

/** `.quote()`: `say "x"` becomes `"say \"x\""`. */
export function quote(target: Value, from: string): string {
  return quoteText(spelledTarget(target, from));
}

/** `.unquote()` */
export function unquote(target: Value, from: string): string {
  const text = spelledTarget(target, from);
  if (/^`[^`]*`$/.test(text)) return text.slice(1, -1).replaceAll("\r", "");
  if (!quoted.test(text)) throw failedOn(from, "invalid syntax");
  const inner = text.slice(1, -1);
  const bytes = inner.replace(escapeSequence, (sequence) => unescaped(sequence, from));
  // Several escaped bytes may form one character.
  return decodeUtf8(encodeUtf8(bytes));
}

/** `.escape_html()` */
export function escapeHtml(target: Value, from: string): string {
  return spelledTarget(target, from).replace(/[&'<>"]/g, (found) => htmlEntities[found] ?? found);
}

/** `.escape_url_query()`: spaces become `+`. */
export function escapeUrlQuery(target: Value, from: string): string {
  return percentEncode(spelledTarget(target, from), /[A-Za-z0-9\-_.~]/).replaceAll("%20", "+");
}

/** `.unescape_url_query()` */
export function unescapeUrlQuery(target: Value, from: string): string {
  return percentDecode(spelledTarget(target, from).replaceAll("+", " "), from);
}

/** `.escape_url_path()` */
export function escapeUrlPath(target: Value, from: string): string {
  return percentEncode(spelledTarget(target, from), /[A-Za-z0-9\-_.~$&+:=@]/);
}

/** `.unescape_url_path()` */
export function unescapeUrlPath(target: Value, from: string): string {
  return percentDecode(spelledTarget(target, from), from);
}

function unescaped(sequence: string, from: string): string {
  const short = shortMeanings.get(sequence);
  if (short !== undefined) return short;
  const kind = sequence.charAt(1);
  if (kind === "u" || kind === "U") {
    const code = Number.parseInt(sequence.slice(2), 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw failedOn(from, "invalid syntax");
    return String.fromCodePoint(code);
  }
  const byte = kind === "x" ? Number.parseInt(sequence.slice(2), 16) : Number.parseInt(sequence.slice(1), 8);
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}

function percentDecode(text: string, from: string): string {
  const broken = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text);
  if (broken !== null) throw failedOn(from, `invalid URL escape ${quoteText(broken[0])}`);
  if (!text.includes("%")) return text;
  const decoded = text.replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => {
    const byte = Number.parseInt(digits, 16);
    return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
  });
  return decodeUtf8(encodeUtf8(decoded));
}
