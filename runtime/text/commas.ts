// Lists written as one text.

/** The items between commas, blanks around them and empty ones left out. */
export function splitCommas(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
