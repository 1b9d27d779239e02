// Whether two declared paths may mean the same request.

/** Whether some path fits both, by their segments: `/a/{id}` and `/a/new`. */
export function overlap(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((segment, index) => meets(segment, second[index]));
}

/**
 * Whether a request for `path` would be taken for one of the operation at `taken` if nothing else were known: by one of the
 * readings of `runtime/http/incoming/readings.ts`, or as a path below one that ends with `/`.
 */
export function mayBeTakenFor(path: string, taken: string): boolean {
  const segments = looseSegments(path);
  const others = looseSegments(taken);
  if (taken.endsWith("/") && overlap(segments.slice(0, others.length), others)) return true;
  return [segments, withoutExtension(segments)].some((reading) => overlap(reading, others));
}

/** Segments as a server might read them that cares neither for case nor for further slashes. */
export function looseSegments(path: string): readonly string[] {
  return path
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "");
}

function withoutExtension(segments: readonly string[]): readonly string[] {
  return segments.map((segment, index) =>
    index === segments.length - 1 && !isParameter(segment) ? segment.replace(/(?<=.)\..*$/, "") : segment,
  );
}

function meets(segment: string, other = ""): boolean {
  return segment === other || isParameter(segment) || isParameter(other);
}

/** Also one with texts around its parameters, which may be anything then. */
function isParameter(segment: string): boolean {
  return /\{[^{}]+\}/.test(segment);
}
