// A table of path patterns: exact segments, `{name}` segments, and prefixes that end with `/`.

/** What a path was matched to. */
export interface PathMatch<T> {
  readonly value: T;
  /** What the parameters of the pattern took, in order. */
  readonly values: readonly string[];
}

interface Node<T> {
  readonly exact: Map<string, Node<T>>;
  parameter: Node<T> | undefined;
  /** What is registered for the path that ends here. */
  leaf: { readonly value: T } | undefined;
  /** What is registered for everything below. */
  prefix: { readonly value: T } | undefined;
}

const parameterPattern = /^\{([^{}]+)\}$/;

/** Names of the parameters of a pattern, in order: `/a/{id}/{part}` has `["id", "part"]`. */
export function parameterNames(pattern: string): readonly string[] {
  return pattern.split("/").flatMap((segment) => parameterPattern.exec(segment)?.[1] ?? []);
}

/**
 * A segment trie. An exact segment beats a parameter, which beats a prefix; of two prefixes the longer
 * wins. A parameter never takes an empty segment.
 */
export class PathTable<T> {
  readonly #root: Node<T> = createNode();

  /**
   * The value at exactly this pattern, made by `create` when there is none. `isWhole`: a slash at its end stands for itself,
   * and for nothing below it.
   */
  at(pattern: string, create: () => T, isWhole = false): T {
    const segments = pattern.replace(/^\//, "").split("/");
    const isPrefix = !isWhole && segments.at(-1) === "";
    let node = this.#root;
    for (const segment of isPrefix ? segments.slice(0, -1) : segments) {
      node = parameterPattern.test(segment) ? parameterChild(node) : exactChild(node, segment);
    }
    const place = isPrefix ? "prefix" : "leaf";
    const leaf = node[place] ?? { value: create() };
    node[place] = leaf;
    return leaf.value;
  }

  /** What decoded segments lead to. */
  find(segments: readonly string[]): PathMatch<T> | undefined {
    const values: string[] = [];
    const leaf = findLeaf(this.#root, segments, 0, values);
    return leaf && { value: leaf.value, values };
  }
}

function findLeaf<T>(
  node: Node<T>,
  segments: readonly string[],
  position: number,
  values: string[],
): { readonly value: T } | undefined {
  const segment = segments[position];
  if (segment === undefined) return node.leaf;
  const exact = node.exact.get(segment);
  const found = exact && findLeaf(exact, segments, position + 1, values);
  if (found !== undefined) return found;
  if (node.parameter !== undefined && segment !== "") {
    const depth = values.push(segment);
    const byParameter = findLeaf(node.parameter, segments, position + 1, values);
    if (byParameter !== undefined) return byParameter;
    values.length = depth - 1;
  }
  return node.prefix;
}

function createNode<T>(): Node<T> {
  return { exact: new Map(), parameter: undefined, leaf: undefined, prefix: undefined };
}

function exactChild<T>(node: Node<T>, segment: string): Node<T> {
  const child = node.exact.get(segment) ?? createNode<T>();
  node.exact.set(segment, child);
  return child;
}

function parameterChild<T>(node: Node<T>): Node<T> {
  node.parameter ??= createNode();
  return node.parameter;
}
