// The English names of months and weekdays for time formats.

/** The months, starting with January. */
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

/** The weekdays, starting with Sunday. */
export const weekdayNames: readonly string[] = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
];

/** Returns the three-letter form of a name. */
export function shortName(name: string): string {
  return name.slice(0, 3);
}

/** Returns the names in their three-letter form. */
export function shortNames(names: readonly string[]): readonly string[] {
  return names.map(shortName);
}

/**
 * Returns the index of the first name with which `text` continues at `position`, ignoring case; -1 if there is none.
 */
export function findName(names: readonly string[], text: string, position: number): number {
  return names.findIndex((name) => {
    return text.slice(position, position + name.length).toLowerCase() === name.toLowerCase();
  });
}
