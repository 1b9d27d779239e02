// Lists of names in messages.

/** `a`, `b` and `c`, each in backticks. */
export function quoteAll(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} and ${last}`;
}
