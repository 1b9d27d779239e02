// Passes over valid JSON text without reading it: positions in, positions out.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/** The offset of the next character that is no white space. */
export function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Past the white space, and the comma or colon in it. */
export function skipSeparator(text: string, offset: number): number {
  const at = skipBlanks(text, offset);
  const character = text.charCodeAt(at);
  return character === comma || character === colon ? skipBlanks(text, at + 1) : at;
}

/** Past the value that begins at `offset`. The text has to be valid JSON: nothing is looked at twice. */
export function skipValue(text: string, offset: number): number {
  let at = offset;
  let depth = 0;
  do {
    const character = text.charCodeAt(at);
    if (character === quote) at = skipString(text, at);
    else if (isOpening(character)) {
      depth++;
      at++;
    } else if (isClosing(character)) {
      depth--;
      at++;
    } else if (depth === 0) at = skipWord(text, at);
    else at++;
  } while (depth > 0);
  return at;
}

function skipString(text: string, offset: number): number {
  let end = text.indexOf('"', offset + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** An odd number of backslashes before it: it does not end the string. */
function isEscaped(text: string, offset: number): boolean {
  let at = offset - 1;
  while (text.charCodeAt(at) === backslash) at--;
  return (offset - at) % 2 === 0;
}

/** A number, `true`, `false`, `null`. */
function skipWord(text: string, offset: number): number {
  let at = offset;
  while (/[\w.+-]/.test(text.charAt(at))) at++;
  return at;
}

function isOpening(character: number): boolean {
  return character === 0x7b || character === 0x5b;
}

function isClosing(character: number): boolean {
  return character === 0x7d || character === 0x5d;
}
