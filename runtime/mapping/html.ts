// Removes HTML from text, and decodes HTML entities.

import { decodeHTML } from "entities";
import { Parser } from "htmlparser2";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { arrayArgument, spelledTarget, textTarget } from "./arguments.ts";
import { wrongType } from "./failures.ts";
import { textOf } from "./text.ts";

/** Elements that are removed together with their content. */
const hidden = /* @__PURE__ */ new Set([
  "frame",
  "frameset",
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "nostyle",
  "object",
  "script",
  "style",
  "title",
]);
/** Elements that are never kept: they are code, or are meaningless without attributes, which are removed. */
const neverKept = /* @__PURE__ */ new Set([
  "a",
  "area",
  "base",
  "embed",
  "font",
  "img",
  "input",
  "link",
  "meta",
  "script",
  "style",
]);

/** `.unescape_html()` */
export function unescapeHtml(target: Value, from: string): string {
  return decodeHTML(spelledTarget(target, from));
}

/** `.strip_html(preserve)`: removes tags, except those of elements to preserve, which lose their attributes. */
export function stripHtml(target: Value, from: string, preserve?: Value): Value {
  const kept = new Set(preserve === undefined ? [] : namesOf(preserve));
  const text = textTarget(target, from);
  const result = strip(asHtml(text), kept);
  return typeof target === "string" ? result : encodeUtf8(result);
}

function namesOf(preserve: Value): readonly string[] {
  return arrayArgument("method 'strip_html'", "preserve", preserve).map((name, index) => {
    if (typeof name === "string" || name instanceof Uint8Array) return textOf(name);
    throw new MappingError(`invalid arg at index ${index}: ${wrongType("", ["string"], name).message}`);
  });
}

/** Line breaks are line feeds, and `<![CDATA[` begins a declaration, which ends at the first `>`: it is special in XML only. */
function asHtml(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("<![CDATA[", "<!CDATA[");
}

/**
 * The maximum number of open elements. The parser searches all of them for the one that an end tag closes, so without a
 * limit its time would grow with the square of the text. Browsers stop at 512.
 */
const mostDepth = 1000;

function strip(text: string, kept: ReadonlySet<string>): string {
  let result = "";
  let depth = 0;
  let hiddenDepth = 0;
  const isKept = (name: string) => kept.has(name) && !neverKept.has(name);
  const parser = new Parser({
    onopentag(name) {
      if (++depth > mostDepth) throw new MappingError(`more than ${mostDepth} elements in each other`);
      if (!isKept(name)) {
        if (hidden.has(name)) hiddenDepth++;
        return;
      }
      const closed = text.startsWith("/>", parser.endIndex - 1);
      if (hiddenDepth === 0) result += closed ? `<${name}/>` : `<${name}>`;
    },
    ontext(part) {
      if (hiddenDepth === 0) result += escaped(part);
    },
    onclosetag(name, implied) {
      depth--;
      if (!isKept(name)) {
        if (hidden.has(name)) hiddenDepth--;
        return;
      }
      if (hiddenDepth === 0 && !implied) result += `</${name}>`;
    },
  });
  parser.write(text);
  parser.end();
  return result;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
