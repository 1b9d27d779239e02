import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Attempt, answersTo, endWell, refuseAll, request, startVictim } from "./attacked.ts";

const victim = await startVictim();
const keyed = `X-Api-Key: ${victim.key}`;

/** Paths that are not a valid version, or lead to a version that the key does not grant. */
const versions: readonly string[] = [
  "/versions/V2/new",
  "/versions/v2./new",
  "/versions/v2%20/new",
  "/versions/v2%00/new",
  "/versions/v2;a=b/new",
  "/versions/v2%2fnew",
  "/versions/v2%252fnew",
  "/versions//v2/new",
  "/versions/./v2/new",
  "/versions/v1/../v2/new",
  "/versions/v1/..%2fv2/new",
  "/versions/v1/%2e%2e/v2/new",
  "/versions/v1/v2/new",
  "/versions/v1/new",
  "/versions/v3/new",
  "/versions/%763/new",
  "/versions/__proto__/new",
  "/versions/constructor/new",
  "/versions/self/new",
  "/versions/second/new",
  "/versions/new",
  "/versions/new?version=v2",
  "/versions",
  "/VERSIONS/v2/new",
  "/second/new",
  "/second/",
  "/third/new",
  "/orders/../second/new",
];

/** Hosts that are not `inner.test`. */
const hosts: readonly string[] = [
  "localhost",
  "inner.test.evil.test",
  "evil-inner.test",
  "x.inner.test",
  "inner.test..",
  ".inner.test",
  "inner..test",
  "inner.test%2e",
  "inner.test:80:80",
  "inner.test:99999",
  "inner.test:a",
  "inner.test@localhost",
  "localhost@inner.test",
  "inner.test/",
  "inner.test, localhost",
  "localhost\r\nHost: inner.test",
  "inner.test\r\nHost: localhost",
  "inner.test\r\nhost: inner.test",
  "localhost\r\nX-Forwarded-Host: inner.test",
  "localhost\r\nForwarded: host=inner.test",
  "localhost\r\nX-Host: inner.test",
  "*",
  "_",
];

const asked = (host: string, target = "/domain/new") =>
  `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 1\r\n${keyed}\r\n\r\nx`;

refuseAll(
  "a version",
  victim,
  versions.map((target): Attempt => [target, request(target, { headers: [keyed] })]),
);
refuseAll("a version without a key", victim, [
  ["in the path", request("/versions/v2/new")],
  ["to the upstream", request("/versions/v2/items")],
  ["in a header", request("/versions/new", { headers: ["X-Api-Version: v2"] })],
]);
refuseAll(
  "a host",
  victim,
  hosts.map((host): Attempt => [JSON.stringify(host), asked(host)]),
);
refuseAll("a target of another host", victim, [
  ["than the header says", asked("localhost", "http://inner.test/domain/new")],
  ["while the header says the right one", asked("inner.test", "http://localhost/domain/new")],
  ["with a user", asked("inner.test", "http://inner.test@localhost/domain/new")],
  ["with another port", asked("inner.test", "http://inner.test:81/domain/new")],
]);
refuseAll("a host without a key", victim, [["its own", asked("inner.test").replace(keyed, "X-A: b")]]);

test("valid spellings of a version and a host reach their stream", async () => {
  const good = [
    request("/versions/v2/new", { headers: [keyed] }),
    request("/versions/%762/%6eew", { headers: [keyed] }),
    asked("inner.test"),
    asked("INNER.test.:8080"),
    asked("inner.test", "http://INNER.test/domain/new"),
  ];
  for (const bytes of good) {
    const before = (await victim.reached()).length;
    assert.equal(await answersTo(victim.port, bytes), [200], bytes);
    assert.is((await victim.reached()).slice(before).length, 1, bytes);
  }
});

endWell(victim);

test.run();
