// Names that come twice in a list.

/** Where the first text is that came before; -1 where each comes once. Looking each up in the list costs the square of its length. */
export function findRepeated(texts: readonly string[]): number {
  const known = new Set<string>();
  return texts.findIndex((text) => known.size === known.add(text).size);
}
