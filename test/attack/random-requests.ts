// Random requests around the routes that documents declare, never with a valid credential.

/** A route as the manifest of a build lists it. */
export interface DeclaredRoute {
  readonly transport: "http" | "websocket";
  readonly verbs: readonly string[];
  /** Includes the listen path; may contain `{name}` parameters, or end with a slash and match all paths below. */
  readonly path: string;
}

/** A random number generator (mulberry32): numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed. */
export type Chance = () => number;

export function createChance(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const verbs = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "get", "FOO"];
const values = ["1", "a b", "..", "__proto__", "a/b", "%2e%2e", "events", "new", "\u00e9", ""];
const insertions = [
  "/",
  "//",
  "/.",
  "/..",
  "/./",
  ";a=b",
  "%2f",
  "%00",
  ".",
  "%20",
  "?",
  "#",
  "\\",
  "%5c..%5c",
];
const headers = [
  ...["X-Api-Key: guess", "X-Api-Key:", "X-Api-Key: a, b", "X-Api-Key: __proto__", "X_Api_Key: guess"],
  ...[
    "Authorization: Basic YW5uOnJlZA==",
    "Authorization: Basic",
    "Authorization: Bearer guess",
    "Authorization: ,",
  ],
  ...[
    "Cookie: session=guess",
    "Cookie: session",
    "Cookie: session=; session=a",
    "X-Owner: ann",
    "X-Owner: __proto__",
  ],
  ...[
    "X-HTTP-Method-Override: OPTIONS",
    "X-Original-URL: /status",
    "X-Forwarded-For: 127.0.0.1",
    "Accept: text/event-stream",
  ],
  ...[
    "Origin: http://localhost",
    "Access-Control-Request-Method: POST",
    "Sec-WebSocket-Protocol: bearer.guess",
    "Expect: 100-continue",
  ],
];
const queries = [
  "key=guess",
  "key=",
  "key",
  "key=a&key=b",
  "KEY=guess",
  "key[]=guess",
  "x-api-key=guess",
  "session=guess",
  "_method=GET",
];

function oneOf<T>(chance: Chance, choices: readonly T[], fallback: T): T {
  return choices[Math.floor(chance() * choices.length)] ?? fallback;
}

/** Returns a request as bytes: with a body, without one, or an upgrade. */
export function randomRequest(chance: Chance, routes: readonly DeclaredRoute[]): string {
  const route = oneOf(chance, routes, { transport: "http", verbs: [], path: "/" });
  const target = randomTarget(chance, route);
  const more = Array.from({ length: Math.floor(chance() * 4) }, () => oneOf(chance, headers, ""));
  const isUpgrade = chance() < (route.transport === "websocket" ? 0.7 : 0.1);
  if (isUpgrade) {
    const own = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    const nonce = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`;
    return printRequest("GET", target, [...own, nonce, ...more], "");
  }
  const verb = chance() < 0.7 ? oneOf(chance, route.verbs, "GET") : oneOf(chance, verbs, "GET");
  const body = chance() < 0.7 ? '{"a":1}' : "";
  return printRequest(verb, target, ["Connection: close", `Content-Length: ${body.length}`, ...more], body);
}

function printRequest(verb: string, target: string, lines: readonly string[], body: string): string {
  return `${verb} ${target} HTTP/1.1\r\nHost: localhost\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Returns mostly the path itself: a request that is refused for its path does not test the credential. */
function randomTarget(chance: Chance, { path }: DeclaredRoute): string {
  let target = path.replaceAll(/\{[^}]*\}/g, () => encodeURIComponent(oneOf(chance, values, "1")));
  if (target.endsWith("/")) target += oneOf(chance, values, "");
  if (chance() < 0.15) target = encodeOne(chance, target);
  if (chance() < 0.1) target = target.toUpperCase();
  if (chance() < 0.25) {
    const at = Math.floor(chance() * (target.length + 1));
    target = target.slice(0, at) + oneOf(chance, insertions, "/") + target.slice(at);
  }
  if (chance() < 0.05) target = `http://localhost${target}`;
  return chance() < 0.4 ? `${target}?${oneOf(chance, queries, "key")}` : target;
}

function encodeOne(chance: Chance, target: string): string {
  const at = 1 + Math.floor(chance() * (target.length - 1));
  const code = target.charCodeAt(at);
  return `${target.slice(0, at)}%${code.toString(16).padStart(2, "0")}${target.slice(at + 1)}`;
}
