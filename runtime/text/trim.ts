// Trims characters at the ends of text, looking at each character once. A regular expression such as `/\s+$/` starts
// again at every blank, so its time grows with the square of the number of blanks inside the text.

/** The blanks that the language trims: Unicode white space, with U+0085 and without U+FEFF. */
export const blanks =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

/** Returns the text without the characters of `cut` at its ends. These must be in the basic plane. */
export function trimmed(text: string, cut: string): string {
  const rest = trimmedEnd(text, cut);
  let start = 0;
  while (start < rest.length && cut.includes(rest.charAt(start))) start++;
  return rest.slice(start);
}

/** Returns the text without the characters of `cut` at its end. These must be in the basic plane. */
export function trimmedEnd(text: string, cut: string): string {
  let end = text.length;
  while (end > 0 && cut.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Returns the items between commas, trimmed and without empty ones. */
export function splitCommas(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
