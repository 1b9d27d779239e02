// Results that are remembered: one, or by a text from outside at most so many of them.

/** The longest text that is remembered: a client is not to fill the memory with a few of them. */
const longestText = 256;

/** What `make` gives, which is called once, when it is first needed. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A pure function of a text that remembers its latest results; those that were computed longest ago make room. */
export function memoised<T>(most: number, compute: (text: string) => T): (text: string) => T {
  // Two generations: when the younger one is full, the older one is forgotten as a whole.
  let younger = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    const known = younger.get(text);
    if (known !== undefined) return known;
    if (text.length > longestText) return compute(text);
    const result = older.get(text) ?? compute(text);
    if (younger.size >= most / 2) {
      older = younger;
      younger = new Map();
    }
    younger.set(text, result);
    return result;
  };
}
