/** The syntax of a text with rules of its own, such as a topic, a subject or an address. */
export interface Format {
  /** The kind of text, with its article, in words that follow "this is not": `a Kafka topic`. */
  readonly title: string;
  /** Matches exactly the valid texts. The runtime also uses it for values that it reads at startup. */
  readonly pattern: RegExp;
  /**
   * Patterns of invalid texts with the reason, the most obvious first. `otherwise` is the reason for all other
   * invalid texts.
   */
  readonly faults: readonly (readonly [pattern: RegExp, reason: string])[];
  readonly otherwise: string;
  /** Maximum length in bytes of UTF-8; unlimited if absent. */
  readonly longest?: number;
  /** Typical parts of such texts, which are tried in place of parts that are not known yet. */
  readonly fillings?: readonly string[];
  /** A valid text, for hints. */
  readonly example: string;
}

/**
 * Returns the format without texts that begin with a name reserved by a server, for values that messages and requests
 * supply. A document may write such a beginning itself. `reserved` is the source of a regular expression.
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

/** Returns why `text` is not valid; `undefined` if it is. */
export function faultOf(format: Format, text: string): string | undefined {
  const { longest = Number.POSITIVE_INFINITY } = format;
  // A UTF-16 unit takes at most three bytes of UTF-8, so short texts need not be encoded.
  if (text.length * 3 > longest && new TextEncoder().encode(text).length > longest)
    return `it is longer than ${longest} bytes`;
  if (format.pattern.test(text)) return undefined;
  return format.faults.find(([fault]) => fault.test(text))?.[1] ?? format.otherwise;
}

/** Returns all substrings of up to three characters, as fillings of a form with little freedom. */
export function piecesOf(text: string): readonly string[] {
  return [1, 2, 3].flatMap((size) =>
    Array.from({ length: text.length - size + 1 }, (_, at) => text.slice(at, at + size)),
  );
}
