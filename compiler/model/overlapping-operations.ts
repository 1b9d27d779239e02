// Determines which operations of a document may match the same requests: `/rooms/new` beside `/rooms/{id}`.

import { type DeclaredApi, type OperationPlace, pathsBelow } from "./operations.ts";

/**
 * Returns declared operations outside `taken` whose requests could be taken for those of one in `taken`: `/rooms/new`
 * next to `/rooms/{id}`.
 */
export function overlappingOperations(
  taken: readonly OperationPlace[],
  api: DeclaredApi,
): readonly OperationPlace[] {
  const own = Map.groupBy(taken, ({ path }) => path);
  if (own.size === 0) return [];
  const tree = treeOf(own.keys());
  return api.paths
    .flatMap((declared) => pathsBelow(declared.path, api).map((path) => ({ path, declared })))
    .filter(({ path }) => own.has(path) || mayOverlap(path, tree))
    .flatMap(({ path, declared }) => [...declared.operations().keys()].map((verb) => ({ path, verb })))
    .filter(({ path, verb }) => own.get(path)?.some((each) => each.verb === verb) !== true);
}

/** Paths by their segments; the key of parameters is `undefined`. */
interface PathTree {
  readonly below: Map<string | undefined, PathTree>;
  /** Whether a path ends here. */
  isEnd: boolean;
  /** Whether a path ends here with `/`. */
  isOpen: boolean;
}

function treeOf(paths: Iterable<string>): PathTree {
  const root: PathTree = { below: new Map(), isEnd: false, isOpen: false };
  for (const path of paths) {
    let at = root;
    for (const segment of looseSegments(path)) {
      const below = at.below.get(segment) ?? { below: new Map(), isEnd: false, isOpen: false };
      at.below.set(segment, below);
      at = below;
    }
    at.isEnd = true;
    if (path.endsWith("/")) at.isOpen = true;
  }
  return root;
}

/**
 * Whether a request for `path` would be taken for one of an operation of the tree if no other operation were known: by
 * one of the readings of `runtime/http/incoming/operation-table.ts`, or as a path below one that ends with `/`.
 */
function mayOverlap(path: string, tree: PathTree): boolean {
  const segments = looseSegments(path);
  return [segments, withoutExtension(segments)].some((reading) => leadsToEnd(reading, 0, tree));
}

/** Whether some path matches both the segments from `index` on and a path below `at`: `/a/{id}` and `/a/new`. */
function leadsToEnd(segments: Segments, index: number, at: PathTree): boolean {
  if (at.isOpen) return true;
  if (index === segments.length) return at.isEnd;
  const segment = segments[index];
  const next =
    segment === undefined ? [...at.below.values()] : [at.below.get(segment), at.below.get(undefined)];
  return next.some((below) => below !== undefined && leadsToEnd(segments, index + 1, below));
}

/** The segments of a path; `undefined` for parameters, which match any text. */
type Segments = readonly (string | undefined)[];

/** Returns segments as a server might read them that ignores case and repeated slashes. */
function looseSegments(path: string): Segments {
  return path
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => (isParameter(segment) ? undefined : segment));
}

function withoutExtension(segments: Segments): Segments {
  return [...segments.slice(0, -1), segments.at(-1)?.replace(/(?<=.)\..*$/, "")].slice(0, segments.length);
}

/** Whether a segment contains a parameter. Text around the parameter then makes no difference. */
function isParameter(segment: string): boolean {
  return /\{[^{}]+\}/.test(segment);
}
