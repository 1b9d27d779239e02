import { test } from "uvu";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { type Attempt, endWell, refuseAll, request, startVictim } from "./attacked.ts";

const victim = await startVictim();
const good = victim.key;

function withHeaders(...headers: readonly string[]): string {
  return request("/orders/new", { headers });
}

const keys: readonly Attempt[] = [
  ["none", request("/orders/new")],
  ["none, for what goes to the upstream", request("/orders/things")],
  [
    "none, for an event stream",
    request("/orders/events", { method: "GET", headers: ["Accept: text/event-stream"] }),
  ],
  ["none, for a stream of each tenant", request("/orders/tenants/1", { headers: ["X-Tenant: a"] })],
  ["an empty one", withHeaders("X-Api-Key:")],
  ["one of spaces", withHeaders("X-Api-Key:    ")],
  ["an unknown one", withHeaders("X-Api-Key: guess")],
  ["the beginning of one", withHeaders(`X-Api-Key: ${good.slice(0, -1)}`)],
  ["one with more behind it", withHeaders(`X-Api-Key: ${good}x`)],
  ["in other letters", withHeaders(`X-Api-Key: ${good.toUpperCase()}`)],
  ["the hash that the gateway holds", withHeaders(`X-Api-Key: ${hashKey(good)}`)],
  ["good, then bad", withHeaders(`X-Api-Key: ${good}`, "X-Api-Key: guess")],
  ["bad, then good", withHeaders("X-Api-Key: guess", `X-Api-Key: ${good}`)],
  ["two in one header", withHeaders(`X-Api-Key: guess, ${good}`)],
  [
    "bad in the header, good in the query",
    request(`/orders/new?key=${encodeURIComponent(good)}`, { headers: ["X-Api-Key: guess"] }),
  ],
  ["two in the query", request(`/orders/new?key=guess&key=${encodeURIComponent(good)}`)],
  ["as a list in the query", request(`/orders/new?key[]=${encodeURIComponent(good)}`)],
  ["below another name in the query", request(`/orders/new?KEY=${encodeURIComponent(good)}`)],
  ["in another header", withHeaders(`Authorization: Bearer ${good}`)],
  ["in a header of nearly that name", withHeaders(`X_Api_Key: ${good}`)],
  ["in a cookie", withHeaders(`Cookie: X-Api-Key=${good}; key=${good}`)],
  [
    "in the body",
    request("/orders/new", {
      body: `key=${encodeURIComponent(good)}`,
      headers: ["Content-Type: application/x-www-form-urlencoded"],
    }),
  ],
  [
    "in a trailer",
    `POST /orders/new HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Api-Key\r\n\r\n0\r\nX-Api-Key: ${good}\r\n\r\n`,
  ],
  ["named as a part of every object", withHeaders("X-Api-Key: __proto__")],
  ["named as a method of every object", withHeaders("X-Api-Key: constructor")],
  ["locked", withHeaders("X-Api-Key: inactive")],
  ["expired", withHeaders("X-Api-Key: expired")],
  ["of another API", withHeaders("X-Api-Key: elsewhere")],
];

function asUser(text: string): string {
  const value = Buffer.from(text).toString("base64");
  return request("/users/new", { headers: [`Authorization: Basic ${value}`] });
}

const users: readonly Attempt[] = [
  ["no password", asUser("ann:")],
  ["no name", asUser(":blue")],
  ["no colon", asUser("annblue")],
  ["another password", asUser("ann:Blue")],
  ["the password with more behind it", asUser("ann:blue\0x")],
  ["a name with more behind it", asUser("ann\0:blue")],
  ["another name", asUser("bob:blue")],
  ["a part of every object", asUser("__proto__:blue")],
  ["no Base64", request("/users/new", { headers: ["Authorization: Basic ann:blue"] })],
  ["nothing after the scheme", request("/users/new", { headers: ["Authorization: Basic"] })],
  [
    "another scheme",
    request("/users/new", {
      headers: [`Authorization: Bearer ${Buffer.from("ann:blue").toString("base64")}`],
    }),
  ],
  [
    "two of them",
    request("/users/new", {
      headers: [`Authorization: Basic ${btoa("ann:blue")}`, `Authorization: Basic ${btoa("bob:red")}`],
    }),
  ],
  ["in the address", request(`http://ann:blue@localhost/users/new`)],
];

const rights: readonly Attempt[] = [
  ["a method that is not allowed", "POST"],
  ["a method in a header", "POST", "X-HTTP-Method-Override: GET"],
  ["another header for it", "POST", "X-Method-Override: GET"],
].map(([name = "", method = "", ...more]) => [
  name,
  request("/orders/new", { method, headers: [`X-Api-Key: ${victim.reader}`, ...more] }),
]);

refuseAll("key", victim, keys);
refuseAll("user", victim, users);
refuseAll("rights", victim, [
  ...rights,
  ["a method in the query", request("/orders/new?_method=GET", { headers: [`X-Api-Key: ${victim.reader}`] })],
  [
    "a path that begins like an allowed one",
    request("/orders/events/../new", { headers: [`X-Api-Key: ${victim.reader}`] }),
  ],
  [
    "a path that ends like an allowed one",
    request("/orders/things?/events", { method: "GET", headers: [`X-Api-Key: ${victim.reader}`] }),
  ],
]);
endWell(victim);
test.run();
