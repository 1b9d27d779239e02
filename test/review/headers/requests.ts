// Random requests whose every value says where in the request it stood.

import { constantFrom, record, sample, string, uniqueArray } from "fast-check";

/** Where a name and a value stand in a request. */
export type Origin = "header" | "query" | "cookie";

/** A request of the campaign. Each value begins with its origin, as `query-3-…`. */
export interface MadeRequest {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  /** The value of the path parameter `x-path`. */
  readonly path: string;
}

/** Names that a document alone may set, in each of the classes that the page about the model names. */
export const reservedNames = [
  "authorization",
  "proxy-authorization",
  "proxy-authenticate",
  "www-authenticate",
  "cookie",
  "set-cookie",
  "location",
  "refresh",
  "content-security-policy",
  "content-security-policy-report-only",
  "clear-site-data",
  "strict-transport-security",
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "x-frame-options",
  "x-content-type-options",
  "cross-origin-opener-policy",
  "service-worker-allowed",
  "content-encoding",
  "content-type",
  "te",
  "trailer",
  "keep-alive",
  "proxy-connection",
  "x-http-method-override",
  "x-original-url",
  "x-rewrite-url",
] as const;

/** Names that a caller's own headers may have anywhere. */
const freeNames = ["x-user-id", "x-tenant", "x-trace", "x-role", "accept-language", "x-1", "ce-id"] as const;

/** HTTP/2 refuses these by itself (RFC 9113, section 8.2.2). */
const connectionNames: ReadonlySet<string> = new Set(["te", "keep-alive", "proxy-connection"]);

const spellings = [
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()),
  (name: string) => name.replace(/[a-z]/g, (letter, at: number) => (at % 2 ? letter.toUpperCase() : letter)),
];

const names = (origin: Origin) =>
  uniqueArray(
    record({
      name: constantFrom(...reservedNames, ...freeNames),
      spell: constantFrom(...spellings),
      text: string({ maxLength: 8, unit: constantFrom(..."abz019-._~ <>\"';:\r\n\0ä€".split("")) }),
    }),
    { maxLength: 6, selector: ({ name }) => name },
  ).map((made) =>
    made.map(({ name, spell, text }, index) => {
      // What a header or a cookie cannot hold on the wire is for the query to try.
      const fit = origin === "query" ? text : text.replace(/[^\w.~-]/g, "");
      return [spell(name), `${origin}-${index}-${fit}`] as const;
    }),
  );

/** The requests that a seed makes. */
export function requestsOf(seed: number, count: number, isHttp2: boolean): readonly MadeRequest[] {
  const made = record({
    headers: names("header").map((headers) =>
      headers.filter(([name]) => {
        const key = name.toLowerCase();
        // A body that is said to be packed would have to be.
        return key !== "content-encoding" && key !== "cookie" && !(isHttp2 && connectionNames.has(key));
      }),
    ),
    query: names("query"),
    cookies: names("cookie"),
    path: string({ maxLength: 8, unit: constantFrom(..."abc<> \"'%/?#@&=+;.ä".split("")) })
      // Dot segments are refused, also where their slashes are encoded.
      .filter((text) => !text.split("/").some((part) => /^\.{1,2}(?:;|$)/.test(part)))
      .map((text) => `path-${text}`),
  });
  return sample(made, { numRuns: count, seed });
}

/** `/kind/PATH?QUERY` */
export function targetOf(kind: string, { path, query }: MadeRequest): string {
  return `/${kind}/${encodeURIComponent(path)}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`;
}

/** The header that carries the cookies; none where there are none. */
export function cookieOf({ cookies }: MadeRequest): readonly (readonly [name: string, value: string])[] {
  if (cookies.length === 0) return [];
  return [["cookie", cookies.map(([name, value]) => `${name}=${value}`).join("; ")]];
}

/** What is wrong with headers that left, where a pattern lets every name through. */
export function mistakesIn(
  headers: readonly (readonly [name: string, value: string])[],
  sent: MadeRequest,
  allowed: ReadonlySet<string> = new Set(),
): readonly string[] {
  const mistakes: string[] = [];
  for (const [name, value] of headers) {
    if (/^(?:query|cookie|path)-/.test(value))
      mistakes.push(`${name}: ${JSON.stringify(value)} is no header`);
    const isReserved = reservedNames.some((reserved) => reserved === name.toLowerCase());
    if (isReserved && value.startsWith("header-") && !allowed.has(name.toLowerCase()))
      mistakes.push(`${name}: ${JSON.stringify(value)} left by a pattern`);
  }
  // The control: what is free to leave has left.
  for (const [name, value] of sent.headers) {
    if (!freeNames.some((free) => free === name.toLowerCase())) continue;
    const has = headers.some((left) => left[0].toLowerCase() === name.toLowerCase() && left[1] === value);
    if (!has) mistakes.push(`${name}: ${JSON.stringify(value)} did not leave`);
  }
  return mistakes;
}
