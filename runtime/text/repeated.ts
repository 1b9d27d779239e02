// Finds repeated names in a list.

/** Returns the index of the first text that repeats an earlier one; -1 if there is none. Takes linear time. */
export function findRepeated(texts: readonly string[]): number {
  const known = new Set<string>();
  return texts.findIndex((text) => known.size === known.add(text).size);
}
