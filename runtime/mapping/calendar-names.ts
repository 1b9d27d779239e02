// What months and days of the week are called in the formats of times. Always in English.

/** January first. */
export const monthNames: readonly string[] = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Sunday first. */
export const weekdayNames: readonly string[] = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
];

/** The short form of a name. */
export function shortName(name: string): string {
  return name.slice(0, 3);
}

/** The names in their short form. */
export function shortNames(names: readonly string[]): readonly string[] {
  return names.map(shortName);
}

/** Where in `names` the first one stands that `text` begins with at `position`, whatever the case; else -1. */
export function findName(names: readonly string[], text: string, position: number): number {
  return names.findIndex((name) => {
    return text.slice(position, position + name.length).toLowerCase() === name.toLowerCase();
  });
}
