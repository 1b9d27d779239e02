import { createHmac } from "node:crypto";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  createSeenSignatures,
  createSignatureReader,
  parseSignature,
  type SignatureRules,
} from "../../../../../runtime/protections/authentication/signatures/check-signature.ts";

const secret = "shared by both";
const rules: SignatureRules = {
  allowedAlgorithms: ["hmac-sha256", "hmac-sha512"],
  allowedClockSkew: 60_000,
  requiredHeaders: [],
  refuseRepeats: false,
};
const now = () => new Date().toUTCString();

/** Returns a request as Node's parser produces it. */
function request(
  headers: readonly (readonly [string, string])[],
  method = "POST",
  url = "/orders/new?a=1",
): IncomingMessage {
  const made = new IncomingMessage(new Socket());
  made.method = method;
  made.url = url;
  made.rawHeaders = headers.flat();
  for (const [name, _value] of headers) made.headersDistinct[name.toLowerCase()] ??= [];
  for (const [name, value] of headers) made.headersDistinct[name.toLowerCase()]?.push(value);
  return made;
}

function sign(lines: readonly string[], digest = "sha256", key = secret): string {
  return createHmac(digest, key).update(lines.join("\n")).digest("base64");
}

function credential(covered: string | undefined, signature: string, algorithm = "hmac-sha256"): string {
  const headers = covered === undefined ? "" : `headers="${covered}",`;
  return `keyId="key-1",algorithm="${algorithm}",${headers}signature="${signature}"`;
}

function holds(text: string, sent: IncomingMessage, given: Partial<SignatureRules> = {}): boolean | "full" {
  const signed = createSignatureReader({ ...rules, ...given })(sent, text);
  return signed?.keyId === "key-1" ? signed.holds(secret) : false;
}

test("the signed text is built in order, with the request target and repeated headers", () => {
  const date = now();
  const sent = request([
    ["Date", date],
    ["Host", "gateway"],
    ["X-Part", "a"],
    ["x-part", "b"],
  ]);
  const target = "(request-target): post /orders/new?a=1";
  const rows: readonly [string | undefined, readonly string[]][] = [
    [undefined, [`date: ${date}`]],
    ["date", [`date: ${date}`]],
    ["(request-target) date host", [target, `date: ${date}`, "host: gateway"]],
    ["host Date (request-target)", ["host: gateway", `date: ${date}`, target]],
    ["date x-part", [`date: ${date}`, "x-part: a, b"]],
  ];
  for (const [covered, lines] of rows) {
    assert.is(holds(credential(covered, sign(lines)), sent), true, covered);
    assert.is(holds(credential(covered, encodeURIComponent(sign(lines))), sent), true, covered);
    assert.is(holds(credential(covered, sign(lines, "sha512"), "hmac-sha512"), sent), true, covered);
    assert.is(holds(credential(covered, sign(lines, "sha256", "another")), sent), false, covered);
    assert.is(holds(credential(covered, sign([...lines, ""])), sent), false, covered);
  }
});

test("a signature is invalid for another request, time, algorithm or form", () => {
  const date = now();
  const lines = ["(request-target): post /orders/new?a=1", `date: ${date}`];
  const text = credential("(request-target) date", sign(lines));
  const dated = [["date", date]] as const;
  assert.is(holds(text, request(dated)), true);
  assert.is(holds(text, request(dated, "GET")), false);
  assert.is(holds(text, request(dated, "POST", "/orders/new?a=2")), false);
  assert.is(holds(text, request(dated, "POST", "/orders/other")), false);
  assert.is(holds(text, request([["date", new Date(Date.now() - 5000).toUTCString()]])), false);
  assert.is(holds(text, request([])), false);
  for (const [algorithm, digest] of [
    ["hmac-sha1", "sha1"],
    ["hmac-sha384", "sha384"],
  ] as const) {
    const signed = credential("(request-target) date", sign(lines, digest), algorithm);
    assert.is(holds(signed, request(dated)), false, algorithm);
    assert.is(holds(signed, request(dated), { allowedAlgorithms: [algorithm] }), true, algorithm);
  }
  for (const algorithm of ["none", "", "hs2019", "rsa-sha256", "constructor"]) {
    assert.is(
      holds(credential("date", sign([`date: ${date}`]), algorithm), request(dated)),
      false,
      algorithm,
    );
  }
});

test("the clock skew is limited in both directions, and a signed time is required", () => {
  for (const [away, expected] of [
    [-90_000, false],
    [-30_000, true],
    [30_000, true],
    [90_000, false],
  ] as const) {
    const date = new Date(Date.now() + away).toUTCString();
    const text = credential("date", sign([`date: ${date}`]));
    assert.is(holds(text, request([["date", date]])), expected, String(away));
  }
  const auxiliary = now();
  const byPage = credential("x-aux-date", sign([`x-aux-date: ${auxiliary}`]));
  assert.is(holds(byPage, request([["x-aux-date", auxiliary]])), true);
  const undated = credential("host", sign(["host: gateway"]));
  assert.is(
    holds(
      undated,
      request([
        ["host", "gateway"],
        ["date", now()],
      ]),
    ),
    false,
  );
  for (const date of ["", "yesterday", "2026-01-01", String(Date.now()), new Date().toISOString()]) {
    const text = credential("date", sign([`date: ${date}`]));
    assert.is(holds(text, request([["date", date]])), false, date);
  }
});

test("required headers must be signed", () => {
  const date = now();
  const bare = credential("date", sign([`date: ${date}`]));
  const full = credential("date digest", sign([`date: ${date}`, "digest: x"]));
  const sent = request([
    ["date", date],
    ["digest", "x"],
  ]);
  assert.is(holds(bare, sent, { requiredHeaders: ["Digest"] }), false);
  assert.is(holds(full, sent, { requiredHeaders: ["Digest"] }), true);
});

test("with refuseRepeats a signature is valid once; an unknown key uses nothing up", () => {
  const date = now();
  const read = createSignatureReader({ ...rules, refuseRepeats: true });
  const sent = request([["date", date]]);
  const text = credential("date", sign([`date: ${date}`]));
  assert.is(read(sent, text)?.holds(undefined), false);
  assert.is(read(sent, text)?.holds("another"), false);
  assert.is(read(sent, text)?.holds(secret), true);
  assert.is(read(sent, text)?.holds(secret), false);
});

test("the memory of signatures is limited, and reports full rather than forget valid ones", () => {
  const seen = createSeenSignatures(2);
  assert.is(seen.admit("a", Date.now() + 60_000), "new");
  assert.is(seen.admit("b", Date.now() - 1), "new");
  assert.is(seen.admit("a", Date.now() + 60_000), "seen");
  assert.is(seen.admit("c", Date.now() + 60_000), "new");
  assert.is(seen.admit("d", Date.now() + 60_000), "full");
  assert.is(seen.admit("a", Date.now() + 60_000), "seen");
});

test("a full memory of signatures is not searched for each new one, and still forgets each once it has ended", () => {
  const clock = Date.now;
  const start = clock();
  try {
    Date.now = () => start;
    const seen = createSeenSignatures(100_000);
    for (let count = 0; count < 100_000; count += 1) seen.admit(`${count}`, start + (count === 7 ? 1 : 1000));
    const before = process.cpuUsage();
    for (let count = 0; count < 10_000; count += 1) assert.is(seen.admit("more", start + 1000), "full");
    // Searching it takes some milliseconds each time.
    assert.ok(process.cpuUsage(before).user < 5_000_000);
    Date.now = () => start + 2;
    assert.is(seen.admit("more", start + 1000), "new");
    assert.equal([seen.admit("7", start + 1000), seen.admit("8", start + 1000)], ["full", "seen"]);
  } finally {
    Date.now = clock;
  }
});

test("incomplete, ambiguous and duplicate signature parameters are rejected", () => {
  const good = 'keyId="a",algorithm="hmac-sha256",headers="date",signature="AAAA"';
  assert.is(parseSignature(good)?.keyId, "a");
  assert.is(parseSignature(`${good}, extra="1"`)?.keyId, "a");
  const bad = [
    "",
    "keyId",
    `keyId="b",${good}`,
    good.replace('keyId="a"', 'keyId=""'),
    good.replace('"date"', '"date date"'),
    good.replace('"date"', '" date"'),
    good.replace('"date"', '""'),
    good.replace("AAAA", "A"),
    good.replace("AAAA", ""),
    good.replace("AAAA", "AA A"),
    good.replace("algorithm", "algorithms"),
    good.replaceAll(",", ";"),
    good.slice(0, -1),
    `${good}"`,
    `${" ".repeat(10_000)}`,
    `keyId="${"a".repeat(10)}\\"b",algorithm="hmac-sha256",signature="AAAA"`,
  ];
  for (const text of bad) assert.is(parseSignature(text), undefined, text);
});

test.run();
