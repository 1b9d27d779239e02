import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Attempt, answersTo, endWell, refuseAll, request, startVictim } from "./attacked.ts";

const victim = await startVictim();
const hidden = `POST /orders/new HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${victim.key}\r\nContent-Length: 6\r\n\r\nhidden`;

/** A request to an open route whose end two servers may locate differently; a second request hides behind it. */
function framed(...headers: readonly string[]): string {
  const lines = ["POST /open/unknown HTTP/1.1", "Host: localhost", ...headers, "", ""];
  return `${lines.join("\r\n")}0\r\n\r\n${hidden}`;
}

const frames: readonly Attempt[] = [
  ["length and chunks", framed("Content-Length: 5", "Transfer-Encoding: chunked")],
  ["chunks and length", framed("Transfer-Encoding: chunked", `Content-Length: ${hidden.length + 5}`)],
  ["two lengths", framed("Content-Length: 5", `Content-Length: ${hidden.length + 5}`)],
  ["two lengths in one header", framed(`Content-Length: 5, ${hidden.length + 5}`)],
  ["a length with a sign", framed("Content-Length: +5")],
  ["a negative length", framed("Content-Length: -5")],
  ["a length in hexadecimal digits", framed("Content-Length: 0x5")],
  ["a length with a space in it", framed("Content-Length: 5 0")],
  ["a length beyond all numbers", framed("Content-Length: 99999999999999999999999")],
  ["a length of nothing", framed("Content-Length:")],
  ["chunks that are no chunks", framed("Transfer-Encoding: xchunked")],
  ["chunks, then something else", framed("Transfer-Encoding: chunked, identity")],
  ["chunks twice", framed("Transfer-Encoding: chunked", "Transfer-Encoding: identity")],
  ["chunks after a space", framed("Transfer-Encoding : chunked", "Content-Length: 5")],
  ["chunks on a folded line", framed("Transfer-Encoding:\r\n chunked", "Content-Length: 5")],
  ["chunks behind a bare line feed", framed("X: a\nTransfer-Encoding: chunked", "Content-Length: 5")],
  ["chunks behind a bare carriage return", framed("X: a\rTransfer-Encoding: chunked", "Content-Length: 5")],
  ["chunks behind a zero byte", framed("X: a\0Transfer-Encoding: chunked", "Content-Length: 5")],
  ["chunks with a tab before", framed("\tTransfer-Encoding: chunked", "Content-Length: 5")],
  [
    "chunks of a size that is none",
    `${framed("Transfer-Encoding: chunked").replace("\r\n\r\n0\r\n", "\r\n\r\n0x0\r\n")}`,
  ],
  [
    "chunks of an enormous size",
    `${framed("Transfer-Encoding: chunked").replace("\r\n\r\n0\r\n", "\r\n\r\nfffffffffffffffff\r\n")}`,
  ],
  [
    "a line feed in the extension of a chunk",
    `${framed("Transfer-Encoding: chunked").replace("\r\n\r\n0\r\n", "\r\n\r\n0;a\nb\r\n")}`,
  ],
];

const heads: readonly Attempt[] = [
  ["no host", "POST /orders/new HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["two hosts", request("/orders/new", { headers: ["Host: other"] })],
  ["a host with a path", "POST /orders/new HTTP/1.1\r\nHost: a/open\r\nConnection: close\r\n\r\n"],
  ["a host with a user", "POST /orders/new HTTP/1.1\r\nHost: a@b\r\nConnection: close\r\n\r\n"],
  ["a space in a name", request("/orders/new", { headers: ["X Api Key: a"] })],
  ["a space before the colon", request("/orders/new", { headers: ["X-Api-Key : a"] })],
  ["a name of nothing", request("/orders/new", { headers: [": a"] })],
  ["no colon", request("/orders/new", { headers: ["X-Api-Key"] })],
  ["a zero byte in a value", request("/orders/new", { headers: ["X-A: a\0b"] })],
  ["a carriage return in a value", request("/orders/new", { headers: ["X-A: a\rX-Api-Key: b"] })],
  ["bare line feeds", request("/orders/new").replaceAll("\r\n", "\n")],
  ["an unknown version", "POST /orders/new HTTP/9.9\r\nHost: a\r\n\r\n"],
  ["an older version", "GET /orders/new\r\n"],
  ["HTTP/1.0", "POST /orders/new HTTP/1.0\r\nContent-Length: 1\r\n\r\nx"],
  ["HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"],
  ["a handshake of TLS", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03"],
  ["noise", Array.from({ length: 4000 }, (_, at) => String.fromCharCode((at * 7919) % 256)).join("")],
  [
    "a second request behind the first",
    request("/open/unknown", { body: "" }).replace("Connection: close\r\n", "") + request("/orders/new"),
  ],
  ["a request in what follows Connection: close", `${request("/open/unknown")}${hidden}`],
];

refuseAll("frame", victim, frames);
refuseAll("head", victim, heads);

test("frame: bytes after the end of a body are a separate request with its own credential", async () => {
  const first = request("/orders/new", { headers: [`X-Api-Key: ${victim.key}`], body: "first" });
  const before = (await victim.reached()).length;
  const keptOpen = first.replace("Connection: close\r\n", "");
  assert.equal(
    await answersTo(victim.port, keptOpen + request("/orders/new", { body: "second" })),
    [200, 401],
  );
  assert.is((await victim.reached()).length, before + 1);
});

test("frame: transfer codings other than chunked are rejected, and so is chunked in HTTP/1.0", async () => {
  const before = (await victim.reached()).length;
  for (const [version, coding] of [
    ["1.1", "gzip, chunked"],
    ["1.1", "chunked,chunked"],
    ["1.1", ", chunked"],
    ["1.0", "chunked"],
  ]) {
    const head = [
      `POST /orders/new HTTP/${version}`,
      "Host: localhost",
      "Connection: close",
      `X-Api-Key: ${victim.key}`,
    ];
    const sent = `${head.join("\r\n")}\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\nab\r\n0\r\n\r\n`;
    assert.equal(await answersTo(victim.port, sent), [400], `HTTP/${version}, ${coding}`);
  }
  assert.is((await victim.reached()).length, before);
});

endWell(victim);
test.run();
