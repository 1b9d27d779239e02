// Lists of names in messages.

/** `a`, `b` and `c`, each in backticks. */
export function quoteAll(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} and ${last}`;
}

/** Most names that a hint lists. */
const shownAtMost = 8;

/** `Known fields: \`a\`, \`b\`.`, of many only the first; nothing where there is none. */
export function listKnown(what: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, shownAtMost).map((name) => `\`${name}\``);
  return `${what}: ${shown.join(", ")}${names.length > shownAtMost ? ", …" : ""}.`;
}
