// What of a source file no diagnostic may quote: the values of fields that hold secrets, passwords in addresses, private
// keys, and all of a file that is neither a document nor a mapping by its name. Read off the text, so that it holds for
// documents that do not parse, and for fields that stand in the wrong place.

import type { SourceFile } from "../source/source.ts";

/** A half-open range of a file's text. */
export interface HiddenRange {
  readonly start: number;
  readonly end: number;
}

/** What stands in place of a secret. */
export const hiddenText = "•••";

/** Files that are quoted: documents and mappings. */
const quotable = /\.(?:ya?ml|json|blobl|bloblang|md)$|^[^./][^./]*$|^<[^>]*>$/i;

/** Fields that hold a secret wherever they stand; a test compares them with the schemas. */
export const secretName =
  /^(?:.*[_-])?(?:password|passwd|passphrase|secret|token|user_jwt|nkey_seed|private_key|api[_-]?key|authorization|cookie|basic_auth_data)$|(?:Password|Secret|Token|ApiKey)$|^(?:source|key)$/i;

/** The ranges of a file that are secrets, in order. */
export function hiddenRangesOf(file: SourceFile): readonly HiddenRange[] {
  const known = ranges.get(file);
  if (known !== undefined) return known;
  const found = findRanges(file);
  ranges.set(file, found);
  return found;
}

/** Ranges of files looked at before: the same text has the same ones. */
const ranges = new WeakMap<SourceFile, readonly HiddenRange[]>();

/** The text with every secret of `file` in it replaced. */
export function withoutSecrets(text: string, file: SourceFile): string {
  let shown = text;
  for (const { start, end } of hiddenRangesOf(file)) {
    const secret = file.text.slice(start, end).trim();
    if (secret.length > 2) shown = shown.replaceAll(secret, hiddenText);
  }
  return shown;
}

/** Whether nothing of a file is quoted. */
export function isHidden(file: SourceFile): boolean {
  return !quotable.test(file.path);
}

function findRanges(file: SourceFile): readonly HiddenRange[] {
  const { text } = file;
  if (isHidden(file)) return [{ start: 0, end: text.length }];
  return [...fieldRanges(text), ...passwordRanges(text)].filter(({ start, end }) => end > start);
}

function* fieldRanges(text: string): Iterable<HiddenRange> {
  for (const found of text.matchAll(/([A-Za-z_][A-Za-z0-9_-]*)["']?[ \t]*:[ \t]*/g)) {
    const [matched, name = ""] = found;
    const start = found.index + matched.length;
    if (!secretName.test(name) || !holdsSecret(name, text, start)) continue;
    const isQuoted = /["']/.test(text.charAt(start));
    yield { start: isQuoted ? start + 1 : start, end: endOfValue(text, found.index, start) };
  }
}

/** Keys of messages and caches have the names of those of certificates; sources may be anything. */
function holdsSecret(name: string, text: string, start: number): boolean {
  const value = text.slice(start, start + 80);
  // A map has fields of its own, which are looked at themselves; an empty list holds nothing.
  if (/^(?:\{|\[\s*\]|(?:#[^\n]*)?\r?\n\s*["']?[A-Za-z_][A-Za-z0-9_.-]*["']?:(?:\s|$))/.test(value))
    return false;
  if (/^["']?\$\{(?:!|file:|[A-Za-z0-9_.]+\})/.test(value)) return false;
  if (name === "source") return !/^["']?(?:https?:|[^"']*\$\{file:)/.test(value);
  return name !== "key" || /\bcert/.test(text.slice(Math.max(0, start - 200), start + 200));
}

/** Quoted values end with their quote, blocks and lists with their last line, others with the line or the flow. */
function endOfValue(text: string, keyAt: number, start: number): number {
  const quote = text.charAt(start);
  if (quote === '"' || quote === "'") {
    let at = start + 1;
    while (at < text.length && text[at] !== quote) at += quote === '"' && text[at] === "\\" ? 2 : 1;
    return Math.min(at, text.length);
  }
  const lineStart = text.lastIndexOf("\n", keyAt) + 1;
  const lineEnd = endOfLine(text, start);
  const before = text.slice(lineStart, keyAt);
  if (/^[ \t-]*["']?$/.test(before)) {
    // What follows on deeper lines belongs to the value, however it is written.
    const indent = before.replaceAll("-", " ").replace(/["']$/, "").length;
    let end = lineEnd;
    for (let next = end + 1; next < text.length; next = endOfLine(text, next) + 1) {
      const line = text.slice(next, endOfLine(text, next));
      const isInside = line.trim() === "" || line.length - line.trimStart().length > indent;
      if (!isInside) break;
      end = endOfLine(text, next);
    }
    return end;
  }
  const close = text.slice(start, lineEnd).search(/[,}\]]/);
  return close === -1 ? lineEnd : start + close;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** `user:password@` of addresses: what stands between the colon and the last `@` before the path. */
function* passwordRanges(text: string): Iterable<HiddenRange> {
  for (const found of text.matchAll(/:\/\//g)) {
    const start = found.index + 3;
    let end = start;
    let at = -1;
    let colon = -1;
    for (; end < text.length && !/[\s/?#"']/.test(text.charAt(end)); end++) {
      if (text[end] === "@") at = end;
      if (text[end] === ":" && colon === -1) colon = end;
    }
    const isRead = /^\$\{[A-Za-z0-9_.]+\}$/.test(text.slice(colon + 1, at));
    if (colon !== -1 && colon < at && !isRead) yield { start: colon + 1, end: at };
  }
}
