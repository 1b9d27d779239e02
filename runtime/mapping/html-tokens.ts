// Splits HTML into texts and tags, as the tokenizer of the reference engine does. What it makes of broken HTML decides
// which tags are left, so another reader would keep or lose other text.

import { decodeHTML } from "entities";

/** A tag, or a text with its entities decoded. */
export type HtmlToken =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "open" | "close" | "empty"; readonly name: string };

/** What begins something that is no text: a tag, a comment or a declaration. */
const markup = /<(?:[a-z!?]|\/[\s\S])/gi;
const afterName = /[ \n\r\t\f/>]/g;
const noBlank = /[^ \n\r\t\f]/g;
const afterKey = /[ \n\r\t\f/>=]/g;
const afterValue = /[ \n\r\t\f>]/g;
const afterComment = /--!?>/g;
/** A comment that ends where it begins: `<!-->`, `<!--->`. */
const emptyComment = /-*>/y;
/** The end of what `<script>` holds, or the start of a comment in it. */
const inScript = /<\/script(?=[ \n\r\t\f/>])|<!--/gi;
/** In a comment of a script, an inner `<script>` hides the end of the script until the inner one ends. */
const inScriptComment = /-->|<\/script(?=[ \n\r\t\f/>])|<script[ \n\r\t\f/>]|<[^a-z/]/gi;
const inInnerScript = /-->|<\/script[ \n\r\t\f/>]/gi;

/** Elements that hold text only. */
const rawTexts: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "style",
  "textarea",
  "title",
  "xmp",
]);
const endOfAny = /<\/(iframe|noembed|noframes|noscript|style|textarea|title|xmp)(?=[ \n\r\t\f/>])/gi;

/** Returns the tokens of `html`. A tag that does not end ends them; comments and declarations are none. */
export function* readHtml(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const start = seek(markup, html, at);
    if (start > at) yield text(decodeHTML(html.slice(at, start)));
    if (start === html.length) return;
    const isEnd = html[start + 1] === "/";
    const nameStart = start + (isEnd ? 2 : 1);
    if (!isLetter(html.charCodeAt(nameStart))) {
      at = endOfComment(html, start);
      continue;
    }
    const nameEnd = seek(afterName, html, nameStart);
    const tag = readTag(html, nameEnd);
    if (tag === undefined) return;
    const name = asciiLower(html.slice(nameStart, nameEnd)).replaceAll("\0", "\ufffd");
    yield { kind: isEnd ? "close" : tag.isEmpty ? "empty" : "open", name };
    at = tag.end;
    if (isEnd) continue;
    const rawEnd = endOfRawText(name, html, at);
    if (rawEnd === at) continue;
    const raw = html.slice(at, rawEnd).replaceAll("\0", "\ufffd");
    yield text(name === "textarea" || name === "title" ? decodeHTML(raw) : raw);
    at = rawEnd;
  }
}

function text(text: string): HtmlToken {
  return { kind: "text", text };
}

/** Returns the index of the first match at or after `at`, or the length of `html`. */
function seek(pattern: RegExp, html: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(html)?.index ?? html.length;
}

/** Returns the index behind the first match at or after `at`, or the length of `html`. */
function seekBehind(pattern: RegExp, html: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(html) ? pattern.lastIndex : html.length;
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns the index behind a comment or declaration that begins at `start`. */
function endOfComment(html: string, start: number): number {
  if (!html.startsWith("<!--", start)) {
    const close = html.indexOf(">", start + 2);
    return close < 0 ? html.length : close + 1;
  }
  emptyComment.lastIndex = start + 4;
  if (emptyComment.test(html)) return emptyComment.lastIndex;
  return seekBehind(afterComment, html, start + 4);
}

/**
 * Reads the attributes of a tag from `at`, behind its name. Returns undefined if the tag does not end. It `isEmpty` if it
 * ends in `/>`, unless the slash belongs to a value: that of the last attribute whose name is not a repetition.
 */
function readTag(html: string, at: number): { end: number; isEmpty: boolean } | undefined {
  const keys: string[] = [];
  let lastValueEnd = -1;
  at = seek(noBlank, html, at);
  while (at < html.length && html[at] !== ">") {
    // A `=` that comes first is part of the name.
    const keyEnd = html[at] === "/" ? at : seek(afterKey, html, at + 1);
    const value = readValue(html, keyEnd);
    if (keyEnd > at) {
      keys.push(html.slice(at, keyEnd));
      if (value.end === value.next && html[value.end - 1] === "/" && html[value.end] === ">") {
        lastValueEnd = isRepeated(keys) ? -1 : value.end;
      }
    }
    at = seek(noBlank, html, value.next);
  }
  if (at >= html.length) return undefined;
  return { end: at + 1, isEmpty: html[at - 1] === "/" && lastValueEnd !== at };
}

function isRepeated(keys: readonly string[]): boolean {
  const lower = keys.map(asciiLower);
  return lower.indexOf(lower.at(-1) ?? "") < lower.length - 1;
}

/** Reads the value of an attribute from behind its name. Returns where it ends, and where reading goes on. */
function readValue(html: string, keyEnd: number): { end: number; next: number } {
  const at = seek(noBlank, html, keyEnd);
  if (html[at] === "/") return { end: keyEnd, next: at + 1 };
  if (html[at] !== "=") return { end: keyEnd, next: at };
  const start = seek(noBlank, html, at + 1);
  const quote = html[start];
  if (quote === ">") return { end: keyEnd, next: start };
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, start + 1);
    return close < 0 ? { end: html.length, next: html.length } : { end: close, next: close + 1 };
  }
  const end = seek(afterValue, html, start + 1);
  return { end, next: end };
}

/** Returns where the text ends that the element `name` begins at `at`: at once if it may hold elements. */
function endOfRawText(name: string, html: string, at: number): number {
  if (name === "plaintext") return html.length;
  if (name === "script") return endOfScript(html, at);
  if (!rawTexts.has(name)) return at;
  endOfAny.lastIndex = at;
  for (;;) {
    const end = endOfAny.exec(html);
    if (end === null) return html.length;
    if (end[1]?.toLowerCase() === name) return end.index;
  }
}

function endOfScript(html: string, at: number): number {
  let pattern = inScript;
  for (;;) {
    pattern.lastIndex = at;
    const found = pattern.exec(html);
    if (found === null) return html.length;
    const [what] = found;
    at = pattern.lastIndex;
    if (what === "-->") pattern = inScript;
    else if (what === "<!--") {
      // `<!-->` ends the comment.
      pattern = inScriptComment;
      at -= 2;
    } else if (pattern === inInnerScript) pattern = inScriptComment;
    else if (what.startsWith("</")) return found.index;
    else if (isLetter(what.charCodeAt(1))) pattern = inInnerScript;
    else {
      // The reference takes such a `<` for the end of the comment, and reads the character behind it again.
      pattern = inScript;
      at--;
    }
  }
}
