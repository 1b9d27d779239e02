// Reads the constants of templates, which are those of Go: quoted texts, characters, integers, floats and complex numbers.

import { unquote } from "../../mapping/escapes.ts";
import { readFloat } from "../../mapping/float-text.ts";
import { readInteger } from "./casts.ts";
import type { TemplateToken } from "./lexer.ts";
import { fault, type NumberOperand } from "./syntax.ts";

/** Returns the text of a quoted constant. Throws a `TemplateSyntaxError` if it has none. */
export function readQuoted(token: TemplateToken): string {
  try {
    return unquote(token.text, "");
  } catch {
    throw fault("invalid syntax in a quoted text", token);
  }
}

/** Returns a number with the types that can represent it. Throws a `TemplateSyntaxError` if none can. */
export function readNumber(token: TemplateToken): NumberOperand {
  const { text } = token;
  const place = { start: token.start, end: token.end };
  const common = { kind: "Number", text, place } as const;
  if (token.kind === "rune") {
    const code = runeOf(text);
    if (code === undefined) throw fault(`malformed character constant: ${text}`, place);
    return { ...common, integer: BigInt(code), float: code, isFloat: false };
  }
  if (text.endsWith("i")) {
    // The sign between both parts; signs of exponents follow a letter.
    let middle = text.length - 1;
    while (middle > 0 && !(/[+-]/.test(text.charAt(middle)) && !/[eEpP]/.test(text.charAt(middle - 1))))
      middle--;
    const real = middle < 1 ? 0 : readFloat(text.slice(0, middle));
    const imaginary = readFloat(text.slice(Math.max(middle, 0), -1));
    if (typeof real === "string" || typeof imaginary === "string")
      throw fault(`illegal number syntax: \`${text}\``, place);
    const float = imaginary === 0 ? real : undefined;
    return { ...common, integer: wholeOf(float), float, complex: { real, imaginary }, isFloat: true };
  }
  const integer = readInteger(text);
  if (integer !== undefined) return { ...common, integer, float: Number(integer), isFloat: false };
  const float = readFloat(text);
  if (typeof float === "string") throw fault(`illegal number syntax: \`${text}\``, place);
  if (!/[.eEpP]/.test(text)) throw fault(`integer overflow: \`${text}\``, place);
  return { ...common, integer: wholeOf(float), float, isFloat: true };
}

/** Returns the integer that a float is. */
function wholeOf(float: number | undefined): bigint | undefined {
  if (float === undefined || !Number.isInteger(float) || Math.abs(float) >= 2 ** 64) return undefined;
  return BigInt(float);
}

/** Returns the code point of a character constant. */
function runeOf(text: string): number | undefined {
  const inner = text.slice(1, -1);
  if (inner === '"' || inner === "\\'") return inner.charCodeAt(inner.length - 1);
  const [, hex, octal] = /^\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2}))$/.exec(inner) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  if (inner.includes('"')) return undefined;
  try {
    const characters = [...unquote(`"${inner}"`, "")];
    return characters.length === 1 ? characters[0]?.codePointAt(0) : undefined;
  } catch {
    return undefined;
  }
}
