// Removes HTML from text, and decodes HTML entities.

import { decodeHTML } from "entities";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { blanks, trimmed } from "../text/trim.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { arrayArgument, spelledTarget, textTarget } from "./arguments.ts";
import { wrongType } from "./failures.ts";
import { readHtml } from "./html-tokens.ts";
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
  "title",
]);
/** Elements that are kept without attributes, and all lose theirs. */
const bare = /* @__PURE__ */ new Set(
  (
    "abbr acronym address article aside audio b bdi blockquote body br button canvas caption center cite code col " +
    "colgroup datalist dd del details dfn div dl dt em fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 head header " +
    "hgroup hr html i ins kbd li mark marquee nav ol optgroup option p picture pre q rp rt ruby s samp section select " +
    "small span strike strong sub summary sup svg table tbody td textarea tfoot th thead title time tr tt u ul var " +
    "video wbr"
  ).split(" "),
);

/** `.unescape_html()` */
export function unescapeHtml(target: Value, from: string): string {
  return decodeHTML(spelledTarget(target, from));
}

/** `.strip_html(preserve)`: removes tags, except those of elements to preserve, which lose their attributes. */
export function stripHtml(target: Value, from: string, preserve?: Value): Value {
  const kept = new Set(preserve === undefined ? [] : namesOf(preserve));
  const text = textTarget(target, from);
  if (trimmed(text, blanks) === "") return target;
  const result = strip(text.replace(/\r\n?/g, "\n"), kept);
  return typeof target === "string" ? result : encodeUtf8(result);
}

function namesOf(preserve: Value): readonly string[] {
  return arrayArgument("method 'strip_html'", "preserve", preserve).map((name, index) => {
    if (typeof name === "string" || name instanceof Uint8Array) return textOf(name).toLowerCase();
    throw new MappingError(`invalid arg at index ${index}: ${wrongType("", ["string"], name).message}`);
  });
}

function strip(html: string, kept: ReadonlySet<string>): string {
  let result = "";
  /** Elements to preserve that are not kept without attributes, and are open: their end tags are removed. */
  const unkept: string[] = [];
  let hiddenDepth = 0;
  // As in the reference, only what opens an element hides, and an end tag too many does not make it visible again.
  let isHidden = false;
  /** The element of code that the last start tag opened, whose text is removed. */
  let code = "";
  for (const token of readHtml(html)) {
    if (token.kind === "text") {
      if (!isHidden && code === "") result += escaped(token.text);
      continue;
    }
    const { kind, name } = token;
    const holdsCode = name === "script" || name === "style";
    if (kind === "open") code = holdsCode ? name : "";
    else if (kind === "close" && name === code) code = "";
    if (holdsCode) continue;
    if (kind === "close" && unkept.length > 0 && unkept.at(-1) === name) unkept.pop();
    else if (!kept.has(name)) {
      if (!hidden.has(name)) continue;
      if (kind === "open") {
        hiddenDepth++;
        isHidden = true;
      } else if (kind === "close" && --hiddenDepth === 0) isHidden = false;
    } else if (kind !== "close" && !bare.has(name)) {
      if (kind === "open") unkept.push(name);
    } else if (!isHidden)
      result += kind === "close" ? `</${name}>` : kind === "empty" ? `<${name}/>` : `<${name}>`;
  }
  return result;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
  "\r": "&#13;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"'\r]/g, (character) => entities[character] ?? character);
}
