// Random requests in which every value names its place in the request.

import { constantFrom, record, sample, string, uniqueArray } from "fast-check";

/** The place of a name and a value in a request. */
export type Origin = "header" | "query" | "cookie";

/** A request of the campaign. Each value begins with its origin, as `query-3-…`. */
export interface MadeRequest {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  /** The value of the path parameter `x-path`. */
  readonly path: string;
}

/** Names that only a document may set, in each of the classes that the documentation of the model names. */
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

/** Names that a caller's own headers may always have. */
const freeNames = ["x-user-id", "x-tenant", "x-trace", "x-role", "accept-language", "x-1", "ce-id"] as const;

/** HTTP/2 itself refuses these names (RFC 9113, section 8.2.2). */
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
      // Only the query tries characters that a header or a cookie cannot carry.
      const fit = origin === "query" ? text : text.replace(/[^\w.~-]/g, "");
      return [spell(name), `${origin}-${index}-${fit}`] as const;
    }),
  );

/** Returns the requests for a seed. */
export function requestsOf(seed: number, count: number, isHttp2: boolean): readonly MadeRequest[] {
  const made = record({
    headers: names("header").map((headers) =>
      headers.filter(([name]) => {
        const key = name.toLowerCase();
        // A body with a content encoding would have to be compressed.
        return key !== "content-encoding" && key !== "cookie" && !(isHttp2 && connectionNames.has(key));
      }),
    ),
    query: names("query"),
    cookies: names("cookie"),
    path: string({ maxLength: 8, unit: constantFrom(..."abc<> \"'%/?#@&=+;.ä".split("")) })
      // The gateway refuses dot segments, even if their slashes are encoded.
      .filter((text) => !text.split("/").some((part) => /^\.{1,2}(?:;|$)/.test(part)))
      .map((text) => `path-${text}`),
  });
  return sample(made, { numRuns: count, seed });
}

/** `/kind/PATH?QUERY` */
export function targetOf(kind: string, { path, query }: MadeRequest): string {
  return `/${kind}/${encodeURIComponent(path)}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`;
}

/** Returns the header that carries the cookies; empty if there are none. */
export function cookieOf({ cookies }: MadeRequest): readonly (readonly [name: string, value: string])[] {
  if (cookies.length === 0) return [];
  return [["cookie", cookies.map(([name, value]) => `${name}=${value}`).join("; ")]];
}

/** Returns what is wrong with the headers that were sent on, if a pattern allows every name. */
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
  // The control: all free headers were sent on.
  for (const [name, value] of sent.headers) {
    if (!freeNames.some((free) => free === name.toLowerCase())) continue;
    const has = headers.some((left) => left[0].toLowerCase() === name.toLowerCase() && left[1] === value);
    if (!has) mistakes.push(`${name}: ${JSON.stringify(value)} did not leave`);
  }
  return mistakes;
}
