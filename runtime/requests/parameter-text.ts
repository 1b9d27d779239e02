// Values of headers that have parameters, such as `form-data; name="file"; filename="a.txt"`, and are partly computed.

import { type Text, textOf } from "../component/text.ts";

/** A part of such a value: the document's text, or what comes from a message. */
export type ParameterPart = Text | { readonly value: Text };

/**
 * The value that the parts make. What comes from a message stays inside the quotes it stands in, encoded as forms are
 * (WHATWG, "multipart/form-data encoding algorithm"); without quotes it stays one token (RFC 9110, section 5.6.2).
 */
export function parametersOf(parts: readonly ParameterPart[]): Text {
  return (batch, index) => {
    let text = "";
    for (const part of parts) {
      if (typeof part !== "object") text += textOf(part, batch, index);
      else text += encode(textOf(part.value, batch, index), isQuoted(text));
    }
    return text;
  };
}

/** What is computed brings no quotes, so that the document's alone count. */
function isQuoted(text: string): boolean {
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isInside = !isInside;
    else if (isInside && text[at] === "\\") at++;
  }
  return isInside;
}

function encode(value: string, isInQuotes: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const others = isInQuotes ? /["\\\x00-\x1f\x7f]/g : /[^\w!#$&'*+.^`|~-]/gu;
  return value.toWellFormed().replace(others, (character) => encodeURIComponent(character));
}
