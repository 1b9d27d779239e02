/** The form of a text that has rules of its own: a topic, a subject, an address. */
export interface Format {
  /** What such a text is, with its article, in words that follow "this is not": `a Kafka topic`. */
  readonly title: string;
  /** Matches every text of that form and no other. The runtime gets it too, for values it reads at start. */
  readonly pattern: RegExp;
  /** What may keep a text from it and how to say so, the plainest first; what `otherwise` says for the rest. */
  readonly faults: readonly (readonly [pattern: RegExp, reason: string])[];
  readonly otherwise: string;
  /** Bytes of UTF-8 that such a text has at most; any number where absent. */
  readonly longest?: number;
  /** Pieces of such texts that those of other forms do not have, to try out in place of what is not known yet. */
  readonly fillings?: readonly string[];
  /** Such a text, for hints. */
  readonly example: string;
}

/**
 * The same form without texts that begin with what a server keeps for itself: what values of messages and requests make,
 * where the document has not written that beginning. `reserved` is the source of an expression.
 */
export function unreserved(format: Format, reserved: string, reason: string): Format {
  const { pattern, title, faults } = format;
  return {
    ...format,
    title: `${title} that is not reserved`,
    pattern: new RegExp(pattern.source.replace("^", `^(?!${reserved})`), pattern.flags),
    faults: [[new RegExp(`^(?:${reserved})`), reason], ...faults],
  };
}

/** Why `text` does not have the form; `undefined` when it has. */
export function faultOf(format: Format, text: string): string | undefined {
  const { longest = Number.POSITIVE_INFINITY } = format;
  // A character of a text takes three bytes of UTF-8 at most, so short texts need no look.
  if (text.length * 3 > longest && new TextEncoder().encode(text).length > longest)
    return `it is longer than ${longest} bytes`;
  if (format.pattern.test(text)) return undefined;
  return format.faults.find(([fault]) => fault.test(text))?.[1] ?? format.otherwise;
}
