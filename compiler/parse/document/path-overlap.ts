// Whether two declared paths may mean the same request.

/** Whether some path fits both, by their segments: `/a/{id}` and `/a/new`. */
export function overlap(first: readonly string[], second: readonly string[]): boolean {
  return (
    first.length === second.length &&
    first.every((segment, index) => {
      const other = second[index] ?? "";
      return segment === other || isParameter(segment) || isParameter(other);
    })
  );
}

/** Segments as a server might read them that cares neither for case nor for further slashes. */
export function looseSegments(path: string): readonly string[] {
  return path
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "");
}

function isParameter(segment: string): boolean {
  return /^\{[^{}]+\}$/.test(segment);
}
