// Finds fields and their values in text that may not parse. If in doubt, a value extends further.

/** A half-open range of a file's text. */
export interface HiddenRange {
  readonly start: number;
  readonly end: number;
}

/** The maximum number of characters of a line that are examined for each field, so that long lines stay fast. */
export const longestLooked = 4096;

/** A field of a text: its name, the offset at which it begins and that of its value. */
export interface WrittenField {
  readonly name: string;
  readonly index: number;
  readonly start: number;
}

/**
 * `password: …`, with any quotes, and keys with escapes. The bound is far longer than these keys, and prevents texts
 * full of quotes and escapes from being read again from each of them.
 */
const field =
  /(?:(?<![\w.-]|\$\{)([A-Za-z_][\w.-]*)["']?|"([^"\\\n]{0,200}\\.(?:[^"\\\n]|\\.){0,200})")[ \t]*(?:\r?\n[ \t]*)?:(?!\/\/)[ \t]*/g;

/** The maximum distance between the quote before a key with escapes and its first escape. */
const longestUnescaped = 201;

/**
 * Yields the fields of a text that are needed. Only near escapes, the whole text is searched with the pattern: elsewhere,
 * the name before each colon is read, which is much faster.
 */
export function* fieldsOf(
  text: string,
  isNeeded: (name: string, start: number) => boolean,
): Iterable<WrittenField> {
  const pattern = new RegExp(field);
  let backslash = text.indexOf("\\");
  let from = 0;
  for (let colon = text.indexOf(":"); colon !== -1; colon = text.indexOf(":", from)) {
    if (backslash !== -1 && backslash < from) backslash = text.indexOf("\\", from);
    if (backslash === -1 || colon + longestUnescaped < backslash) {
      from = colon + 1;
      if (text.startsWith("//", from)) continue;
      const end = endOfName(text, colon);
      const index = startOfName(text, end);
      if (index === end || !isFirstOfName(text, index)) continue;
      while (isBlank(text.charCodeAt(from))) from++;
      const name = text.slice(index, end);
      if (isNeeded(name, from)) yield { name, index, start: from };
    } else {
      pattern.lastIndex = from;
      const found = pattern.exec(text);
      if (found === null) return;
      const { 0: matched, 1: plain, 2: escaped = "", index } = found;
      from = index + matched.length;
      const name = plain ?? unescaped(escaped);
      if (isNeeded(name, from)) yield { name, index, start: from };
    }
  }
}

/** Returns the end of the name before a colon, which may be on the line before. */
function endOfName(text: string, colon: number): number {
  let at = colon;
  while (isBlank(text.charCodeAt(at - 1))) at--;
  if (text.charCodeAt(at - 1) === 0x0a) {
    at -= text.charCodeAt(at - 2) === 0x0d ? 2 : 1;
    while (isBlank(text.charCodeAt(at - 1))) at--;
  }
  const last = text.charCodeAt(at - 1);
  return last === 0x22 || last === 0x27 ? at - 1 : at;
}

function startOfName(text: string, end: number): number {
  let at = end;
  while (isOfName(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Whether a name begins at an offset: with a letter or an underscore, and not as that of a variable. */
function isFirstOfName(text: string, at: number): boolean {
  const first = text.charCodeAt(at) | 0x20;
  const isLetter = (first >= 0x61 && first <= 0x7a) || text.charCodeAt(at) === 0x5f;
  return isLetter && !(text.charCodeAt(at - 1) === 0x7b && text.charCodeAt(at - 2) === 0x24);
}

function isBlank(character: number): boolean {
  return character === 0x20 || character === 0x09;
}

/** Whether a character is one of `[\w.-]`. */
function isOfName(character: number): boolean {
  const lower = character | 0x20;
  if (lower >= 0x61 && lower <= 0x7a) return true;
  return (
    (character >= 0x30 && character <= 0x39) || character === 0x5f || character === 0x2d || character === 0x2e
  );
}

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/g,
    (_, wide, narrow, other: string) => {
      const code: string | undefined = wide ?? narrow;
      return code === undefined ? other : String.fromCharCode(Number.parseInt(code, 16));
    },
  );
}

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
 * pattern with the flag `g` that ends in the line and begins there or with the break before it, so that the first line
 * is always searched. Searching a large document for a sign is far faster than for the pattern.
 */
export function* matchesInLines(
  text: string,
  sign: string | RegExp,
  pattern: RegExp,
): Iterable<RegExpExecArray> {
  for (let at = typeof sign === "string" ? text.indexOf(sign) : 0; at !== -1; ) {
    // Include the line break before the line, for lookbehinds.
    const start = Math.max(0, text.lastIndexOf("\n", at));
    const end = endOfLine(text, at);
    const line = text.slice(start, end);
    // `matchAll` would copy the pattern for each line.
    pattern.lastIndex = 0;
    for (let found = pattern.exec(line); found !== null; found = pattern.exec(line)) {
      const next = found[0] === "" ? pattern.lastIndex + 1 : pattern.lastIndex;
      found.index += start;
      yield found;
      pattern.lastIndex = next;
    }
    at = placeOfSign(text, sign, end);
  }
}

/** Returns a place in the next line with a sign. */
function placeOfSign(text: string, sign: string | RegExp, from: number): number {
  if (typeof sign === "string") return text.indexOf(sign, from);
  sign.lastIndex = from;
  return sign.test(text) ? sign.lastIndex - 1 : -1;
}
