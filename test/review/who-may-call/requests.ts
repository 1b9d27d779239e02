// Requests for the operations of an API: correct ones, and all spellings that servers might treat as the same.

import fc from "fast-check";
import type { Api, Operation } from "./model.ts";
import type { Shown } from "./oracle.ts";

/** One request. */
export interface Attempt {
  readonly api: Api;
  readonly isHttp2: boolean;
  readonly method: string;
  /** The path below the listen path, without a query. */
  readonly path: string;
  /** The value of the query parameter `n`; `undefined` omits it. */
  readonly n: string | undefined;
  readonly shown: Shown;
  /** Headers with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Set if the request is spelled as the operation is declared, so that a permitted request must be accepted. */
  readonly declared?: Operation;
}

type Spelling = (path: string, at: number) => string;

/** Returns the path with one character replaced by `change`; `at` selects its index after the first character. */
function around(path: string, at: number, change: (char: string) => string): string {
  const index = 1 + (at % Math.max(1, path.length - 1));
  return path.slice(0, index) + change(path[index] ?? "") + path.slice(index + 1);
}

const encode = (char: string, prefix = "%") =>
  char === "" ? "" : prefix + char.charCodeAt(0).toString(16).padStart(2, "0");

const spellings: readonly Spelling[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace(/\/(?=[^/]*$)/, "//"),
  (path) => path.toUpperCase(),
  (path) => path.toLowerCase(),
  (path) => `${path};a=1`,
  (path) => path.replace(/\/(?=[^/]*$)/, ";a=1/"),
  (path) => `${path}.json`,
  (path) => `${path}.tar.gz`,
  (path) => `${path}.`,
  (path) => `${path}%20`,
  (path) => `${path}%2f`,
  (path) => path.replace(/(?<=.)\/(?=[^/]*$)/, "%2F"),
  (path) => `${path}/.`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `/x/%252e%252e${path}`,
  (path) => `${path}%3Ba`,
  (path) => `${path}/deeper`,
  (path, at) => around(path, at, (char) => (char === "/" ? char : encode(char))),
  (path, at) => around(path, at, (char) => encode(char, "%25")),
  (path, at) => around(path, at, (char) => encode(char, "%2525")),
  (path, at) => around(path, at, (char) => `${char};b/`),
  (path, at) => around(path, at, (char) => `${char}/`),
  (path, at) =>
    around(path, at, (char) =>
      /[a-z]/.test(char)
        ? encodeURIComponent(String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0))
        : char,
    ),
];

const otherMethods = ["HEAD", "OPTIONS", "PATCH", "QUERY", "FOO", "UPDATE"];

const attempt = fc.record({
  at: fc.nat(1_000),
  isHttp2: fc.boolean(),
  method: fc.oneof(
    { weight: 4, arbitrary: fc.constant("own") },
    { weight: 2, arbitrary: fc.constantFrom("lower", "title") },
    { weight: 2, arbitrary: fc.constantFrom("GET", "POST", "PUT", "DELETE", ...otherMethods) },
  ),
  spelled: fc.array(fc.tuple(fc.nat(spellings.length - 1), fc.nat(1_000)), { maxLength: 3 }),
  n: fc.constantFrom("1", "1", "one", undefined),
  shown: fc.constantFrom<Shown>("nothing", "wrong key", "key", "limited key", "user"),
  override: fc.option(
    fc.constantFrom(
      "x-http-method-override",
      "x-http-method",
      "x_method_override",
      "x-original-url",
      "x-rewrite-url",
    ),
    {
      freq: 3,
    },
  ),
  other: fc.nat(1_000),
  id: fc.constantFrom("5", "x", "new", "a.b", "NEW"),
});

/**
 * Returns `count` random requests, one for each operation as declared, and more with the limited key than its limit.
 */
export function createAttempts(apis: readonly Api[], seed: number, count: number): readonly Attempt[] {
  const all = apis.flatMap((api) => api.operations.map((operation) => ({ api, operation })));
  const pick = (at: number) => all[at % all.length];
  const random = fc.sample(attempt, { seed, numRuns: count }).flatMap((each): Attempt[] => {
    const [chosen, other] = [pick(each.at), pick(each.other)];
    if (chosen === undefined || other === undefined) return [];
    const { api, operation } = chosen;
    const path = each.spelled.reduce(
      (so, [index, at]) => spellings[index]?.(so, at) ?? so,
      operation.path.replaceAll("{id}", each.id),
    );
    const { override, isHttp2, n, shown } = each;
    const said = override?.includes("method") ? other.operation.method : other.operation.path;
    return [
      {
        ...{ api, isHttp2, path, n, shown, method: methodOf(each.method, operation.method) },
        headers: override === null ? {} : { [override]: said },
      },
    ];
  });
  const good = all
    .filter(isServed)
    .flatMap(({ api, operation }) => [declared(api, operation, true), declared(api, operation, false)]);
  // The counted requests come first, so that no other has used up the limit.
  return [...good, ...random];
}

/**
 * Whether the document alone decides who may call: a stream's prefix route handles every method on the paths below it.
 */
function isServed({ api: { stream = "" }, operation }: { api: Api; operation: Operation }): boolean {
  return !stream.endsWith("/") || operation.path === stream || !operation.path.startsWith(stream);
}

function declared(api: Api, operation: Operation, isHttp2: boolean): Attempt {
  const { method, asks } = operation;
  const path = operation.path.replaceAll("{id}", "5");
  const shown = asks === "nothing" ? "nothing" : asks;
  return { api, isHttp2, method, path, n: "1", shown, headers: {}, declared: operation };
}

function methodOf(spelled: string, method: string): string {
  if (spelled === "own") return method;
  if (spelled === "lower") return method.toLowerCase();
  if (spelled === "title") return method.slice(0, 1) + method.slice(1).toLowerCase();
  return spelled;
}
