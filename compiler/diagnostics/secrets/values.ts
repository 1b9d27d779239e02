// Finds the values of fields in text that may not parse. If in doubt, a value extends further.

/** A half-open range of a file's text. */
export interface HiddenRange {
  readonly start: number;
  readonly end: number;
}

/** The maximum number of characters of a line that are examined for each field, so that long lines stay fast. */
export const longestLooked = 4096;

/** Returns the end of the value that begins at `start` and belongs to the key at `keyAt`. */
export function endOfValue(text: string, keyAt: number, start: number): number {
  const first = text.charAt(start);
  if (first === '"' || first === "'") return endOfQuoted(text, start);
  if (first === "[" || first === "{") return endOfMap(text, keyAt, start);
  if (isOwnLine(text, keyAt)) return endOfBlock(text, keyAt, start);
  const lineEnd = endOfLine(text, start);
  // A comma may belong to the value, unless a field or the end follows.
  const close = text.slice(start, lineEnd).search(/,\s*(?:["']?[\w.-]+["']?\s*:|$)|[}\]]\s*(?:[,}\]]|$)/);
  return close === -1 ? lineEnd : start + close;
}

/** Returns the end of a map or a list, as a block or in brackets. Unclosed brackets extend to the end of the block. */
export function endOfMap(text: string, keyAt: number, start: number): number {
  if (!/[[{]/.test(text.charAt(start))) return endOfBlock(text, keyAt, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") at = closingQuote(text, at);
    else if (char === "[" || char === "{") depth += 1;
    else if ((char === "]" || char === "}") && --depth === 0) return at + 1;
  }
  return endOfBlock(text, keyAt, start);
}

/** Returns the offset of the line break after `at`, or of the end. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** Returns the place of the closing quote. Text after it on its line belongs to the value up to a comma or bracket. */
function endOfQuoted(text: string, start: number): number {
  const end = closingQuote(text, start);
  const lineEnd = endOfLine(text, end);
  const rest = text.slice(end + 1, lineEnd);
  return /^\s*(?:$|[,}\]#:])/.test(rest) ? end : lineEnd;
}

/** Returns the place of the quote that closes the one at `start`, or the end of the text. */
export function closingQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  let at = start + 1;
  for (; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at += 1;
    else if (text[at] === quote && quote === "'" && text[at + 1] === quote) at += 1;
    else if (text[at] === quote) break;
  }
  return Math.min(at, text.length);
}

function isOwnLine(text: string, keyAt: number): boolean {
  return /^[ \t-]*(?:\? *)?["']?$/.test(lineBefore(text, keyAt));
}

function lineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
}

/**
 * Returns the end of a block: more deeply indented lines belong to it, and so does the next line if it can be nothing
 * else.
 */
function endOfBlock(text: string, keyAt: number, start: number): number {
  const [lead = ""] = /^[ \t-]*/.exec(lineBefore(text, keyAt)) ?? [];
  const indent = lead.length;
  const lineEnd = endOfLine(text, start);
  let isOpen = /^\s*(?:[|>][-+0-9]*)?\s*(?:#.*)?$/.test(text.slice(start, lineEnd));
  let end = lineEnd;
  // An item directly after a key without a value is its value, whatever its indentation.
  let isAwaited = isOpen;
  for (let next = end + 1; next < text.length; next = endOfLine(text, next) + 1) {
    const line = text.slice(next, endOfLine(text, next));
    const depth = line.length - line.trimStart().length;
    const isField = /^\s*(?:- +)?["']?[\w.$/-]+["']?[ \t]*:(?:\s|$)|^\s*[}\]]/.test(line);
    const isItem = isOpen && depth === indent && /^\s*-(?:\s|$)/.test(line) && !lead.includes("-");
    const isValue =
      isAwaited && /^\s*-(?:\s|$)/.test(line) && !/^\s*- +["']?[\w.$/-]+["']?[ \t]*:(?:\s|$)/.test(line);
    if (line.trim() !== "" && depth <= indent && !isItem && !isValue && (isField || !isOpen)) break;
    if (line.trim() !== "") isAwaited = isValue || /^[^#]*:\s*(?:#.*)?$/.test(line);
    end = endOfLine(text, next);
    if (depth > indent) isOpen = isOpen && line.trim() === "";
  }
  return end;
}

/**
 * Yields the matches of a pattern that never extends beyond a line, in the lines that contain `sign`: a text, or a
 * pattern with the flag `g` that does not extend beyond a line either. Searching a large document for a sign is far
 * faster than for the pattern.
 */
export function* matchesInLines(
  text: string,
  sign: string | RegExp,
  pattern: RegExp,
): Iterable<RegExpExecArray> {
  for (let at = indexOfSign(text, sign, 0); at !== -1; ) {
    // Include the line break before the line, for lookbehinds.
    const start = Math.max(0, text.lastIndexOf("\n", at));
    const end = endOfLine(text, at);
    for (const found of text.slice(start, end).matchAll(pattern)) {
      found.index += start;
      yield found;
    }
    at = indexOfSign(text, sign, end);
  }
}

function indexOfSign(text: string, sign: string | RegExp, from: number): number {
  if (typeof sign === "string") return text.indexOf(sign, from);
  sign.lastIndex = from;
  return sign.exec(text)?.index ?? -1;
}
