// Caches results: a single result, or a limited number of results by text.

/** The longest text that is cached, so that a client cannot fill the memory with a few texts. */
const longestText = 256;

/** Returns a function that calls `make` at its first call, and returns that result from then on. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns a function that compiles a regular expression with categories of Unicode at its first call. For a literal, V8
 * would collect their characters while it parses the bundle, even if nothing uses it.
 */
export function unicodePattern(source: string, flags = "u"): () => RegExp {
  return lazily(() => new RegExp(source, flags));
}

/** Returns `compute`, a pure function, with a cache of its latest results. The oldest results are evicted first. */
export function memoised<T>(most: number, compute: (text: string) => T): (text: string) => T {
  // Two generations: when the younger one is full, the older one is dropped as a whole.
  let younger = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    const known = younger.get(text);
    if (known !== undefined) return known;
    if (text.length > longestText) return compute(text);
    const own = ownText(text);
    const result = older.get(own) ?? compute(own);
    if (younger.size >= most / 2) {
      older = younger;
      younger = new Map();
    }
    younger.set(own, result);
    return result;
  };
}

/** The longest part of a text that V8 copies. A longer part refers to the whole text, and keeps it in memory. */
const longestCopied = 12;

/** Returns the same text, which keeps no other in memory: a path would keep the whole target of its request. */
function ownText(text: string): string {
  return text.length > longestCopied ? JSON.parse(JSON.stringify(text)) : text;
}
