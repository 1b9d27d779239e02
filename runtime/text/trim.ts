// Text without some characters at its ends. Each character is looked at once: an expression such as `/\s+$/` begins
// anew at every blank, so that blanks inside the text cost the square of their number.

/** The text without the characters of `cut` that it begins and ends with; they are in the basic plane. */
export function trimmed(text: string, cut: string): string {
  const rest = trimmedEnd(text, cut);
  let start = 0;
  while (start < rest.length && cut.includes(rest.charAt(start))) start++;
  return rest.slice(start);
}

/** The text without the characters of `cut` that it ends with; they are in the basic plane. */
export function trimmedEnd(text: string, cut: string): string {
  let end = text.length;
  while (end > 0 && cut.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The items between commas, blanks around them and empty ones left out. */
export function splitCommas(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
