// Builds partly computed header values that have parameters, such as `form-data; name="file"; filename="a.txt"`.

import { type Text, textOf } from "../component/text.ts";
import { unmakeable } from "./request.ts";

/** A part of such a value: text of the document, or a value computed from a message. */
export type ParameterPart = Text | { readonly value: Text };

/**
 * Returns the value that consists of `parts`. A computed value cannot leave the quotes around it: it is encoded like
 * form data (WHATWG, "multipart/form-data encoding algorithm"). Without quotes, it remains one token (RFC 9110,
 * section 5.6.2). Throws a `GatewayError` (422) for a lone surrogate: different values would be the same bytes.
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

/** Whether `text` ends inside quotes. Computed values contain no quotes, so that only those of the document count. */
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
  if (!value.isWellFormed()) throw unmakeable("a parameter of one of its headers holds half a character");
  return value.replace(others, (character) => encodeURIComponent(character));
}
