import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { addressOf, normaliseRequest } from "../../../runtime/http/incoming/normalise.ts";

/** Returns a request as a listener passes it on. */
function request(method: string, target: string, host: string | undefined, version = "1.1"): IncomingMessage {
  const made = new IncomingMessage(new Socket());
  made.method = method;
  made.url = target;
  if (host !== undefined) made.headers.host = host;
  made.httpVersion = version;
  made.httpVersionMajor = Number(version.split(".")[0]);
  return made;
}

/** Returns `METHOD address` as the gateway reads it, or the reason why it refuses the request. */
function read(method: string, target: string, host = "localhost", version = "1.1"): string {
  const made = request(method, target, host, version);
  const found = normaliseRequest(made, { host, scheme: "https" });
  return found === undefined ? "400" : `${found.method} ${addressOf(found).href}`;
}

const versions = ["1.1", "2.0"] as const;
const known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "M-SEARCH"];

test("methods are case-sensitive, in both versions", () => {
  for (const version of versions) {
    for (const method of known) {
      assert.is(read(method, "/a", "localhost", version), `${method} https://localhost/a`);
      const spelled = fc.mixedCase(fc.constant(method)).filter((text) => text !== method);
      fc.assert(
        fc.property(spelled, (text) => read(text, "/a", "localhost", version) === "400"),
        { seed: 1, numRuns: 20 },
      );
    }
    const unknown = fc.string({ unit: "binary", maxLength: 12 }).filter((text) => !known.includes(text));
    fc.assert(
      fc.property(unknown, (text) => read(text, "/a", "localhost", version) === "400"),
      { seed: 1, numRuns: 200 },
    );
    for (const method of ["UPDATE", "FOO", " GET", "GET ", ""]) {
      assert.is(read(method, "/a", "localhost", version), "400", method);
    }
  }
});

test("a listener may accept additional methods for its own targets", () => {
  const isOwn = (method: string, target: string) => method === "UPDATE" && target.startsWith("/own/");
  const ask = (method: string, target: string) =>
    normaliseRequest(request(method, target, "a"), { host: "a", scheme: "http" }, isOwn)?.method;
  assert.equal(
    [ask("UPDATE", "/own/a"), ask("UPDATE", "/a"), ask("update", "/own/a")],
    ["UPDATE", undefined, undefined],
  );
});

test("authorities are normalised to one form, or rejected", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["Example.COM", "example.com"],
    ["example.com.", "example.com"],
    ["example.com:443", "example.com"],
    ["example.com.:8443", "example.com:8443"],
    ["example.com:", "example.com"],
    ["[::1]:80", "[::1]:80"],
    ["[0:0:0:0:0:0:0:1]", "[::1]"],
    ["127.0.0.1", "127.0.0.1"],
    ["a_b.test", "a_b.test"],
  ];
  for (const [host, expected] of rows) assert.is(read("GET", "/", host), `GET https://${expected}/`, host);
  const refused = [
    ...[
      "ann@localhost",
      "ann:blue@localhost",
      "a, b",
      "a b",
      "a/b",
      "a?b",
      "a#b",
      "a\\b",
      "%61",
      "a..b",
      ".a",
    ],
    ...[
      "0x7f.1",
      "2130706433",
      "017700000001",
      "127.1",
      "[::1",
      "::1",
      "a:b",
      "a:99999",
      ":80",
      "a..",
      "é.test",
    ],
  ];
  for (const host of refused) assert.is(read("GET", "/", host), "400", host);
});

test("an absolute-form target must match the host, and is accepted in HTTP/1.1 only", () => {
  const made = request("GET", "HTTP://A.test/b?c=d", "a.TEST");
  const found = normaliseRequest(made, { host: "a.TEST", scheme: "http" });
  assert.is(found && addressOf(found).href, "http://a.test/b?c=d");
  assert.is(made.url, "/b?c=d", "what reads the target afterwards reads the same");
  for (const [target, version] of [
    ["http://b.test/b", "1.1"],
    ["http://a.test:80/b", "1.1"],
    ["http://ann@a.test/b", "1.1"],
    ["ftp://a.test/b", "1.1"],
    ["http://a.test/b", "2.0"],
  ] as const) {
    assert.is(read("GET", target, "a.test", version), "400", target);
  }
  assert.is(read("GET", "/", "", "2.0"), "400", "no authority");
});

test("ambiguous targets are rejected", () => {
  for (const target of [
    ...["*", "a", "", "?a", "/a#b", "/a?b#c", "/a b", "/a\tb", "/caf\u00e9", "/a?\u00e9", "/a\u0000"],
    ...[
      "/../a",
      "/%2e%2e/a",
      "/%252e%252e/a",
      "/%25252e/a",
      "/a/..;b/c",
      "/a%5cb",
      "/a%255cb",
      "/a%00",
      "/a%2500",
    ],
    ...["/%", "/%zz", "/%c0%ae"],
  ]) {
    for (const version of versions) assert.is(read("GET", target, "localhost", version), "400", target);
  }
  assert.is(read("GET", "/a%2525?%zz=%2e"), "GET https://localhost/a%2525?%zz=%2e");
});

test.run();
