import { test } from "uvu";
import * as assert from "uvu/assert";
import { until } from "../harness/wait.ts";
import { socket } from "../harness/websocket-client.ts";
import { rawClient } from "../runtime/listener/raw-client.ts";
import { type Attempt, endWell, refuseAll, startVictim } from "./attacked.ts";

const victim = await startVictim();
const nonce = Buffer.alloc(16).toString("base64");
const keyed = `X-Api-Key: ${victim.key}`;

/** Returns a handshake; `changes` replace its own headers, and an empty value omits the header. */
function handshake(
  target: string,
  changes: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): string {
  const headers = {
    Host: "localhost",
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": nonce,
    ...changes,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === "" ? [] : [`${name}: ${value}`],
  );
  return `GET ${target} HTTP/1.1\r\n${[...lines, ...more].join("\r\n")}\r\n\r\n`;
}

const hidden = `POST /orders/new HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n${keyed}\r\n\r\nx`;

const attempts: readonly Attempt[] = [
  ["without a credential", handshake("/orders/chat")],
  ["with a wrong one", handshake("/orders/chat", {}, ["X-Api-Key: guess"])],
  [
    "with one in a protocol that nobody asked for",
    handshake("/users/chat", { "Sec-WebSocket-Protocol": `bearer.${victim.key}` }),
  ],
  [
    "with a wrong one in a protocol",
    handshake("/orders/chat", { "Sec-WebSocket-Protocol": "orders, bearer.guess" }),
  ],
  ["to what goes to the upstream", handshake("/orders/things")],
  ["to a path of plain requests", handshake("/orders/new")],
  ["by a page of another host", handshake("/orders/chat", { Origin: "http://evil.test" }, [keyed])],
  ["by a page of nowhere", handshake("/orders/chat", { Origin: "null" }, [keyed])],
  [
    "by a page whose host only begins alike",
    handshake("/orders/chat", { Origin: "http://localhost.evil.test" }, [keyed]),
  ],
  ["without a nonce", handshake("/orders/chat", { "Sec-WebSocket-Key": "" }, [keyed])],
  ["with a nonce that is none", handshake("/orders/chat", { "Sec-WebSocket-Key": "a" }, [keyed])],
  ["of an older version", handshake("/orders/chat", { "Sec-WebSocket-Version": "7" }, [keyed])],
  ["by POST", handshake("/orders/chat", {}, [keyed]).replace("GET", "POST")],
  [
    "to HTTP/2",
    handshake("/orders/new", {
      Upgrade: "h2c",
      "HTTP2-Settings": "AAMAAABkAAQAAP__",
      Connection: "Upgrade, HTTP2-Settings, close",
    }),
  ],
  ["to TLS", handshake("/orders/new", { Upgrade: "TLS/1.0", Connection: "Upgrade, close" })],
  ["to two things", handshake("/orders/chat", { Upgrade: "h2c, websocket", Connection: "Upgrade, close" })],
  ["with a body that is a request", handshake("/orders/chat", { "Content-Length": "10" }) + hidden],
  ["with a request right behind it", handshake("/orders/chat") + hidden],
  ["to a path that is none", handshake("/orders/../open/chat", {}, [keyed])],
  ["through a tunnel", `CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n${hidden}`],
];

refuseAll("upgrade", victim, attempts);

test("frame: invalid frames close the socket and reach no stream", async () => {
  const frames: readonly (readonly [string, Buffer])[] = [
    ["not masked", Buffer.from([0x81, 1, 120])],
    ["a reserved bit", Buffer.from([0xf1, 0x81, 0, 0, 0, 0, 120])],
    ["an unknown kind", Buffer.from([0x8f, 0x81, 0, 0, 0, 0, 120])],
    ["a ping in pieces", Buffer.from([0x09, 0x81, 0, 0, 0, 0, 120])],
    ["a ping that is too long", Buffer.from([0x89, 0xfe, 0, 126, 0, 0, 0, 0])],
    ["a continuation of nothing", Buffer.from([0x80, 0x81, 0, 0, 0, 0, 120])],
    ["an enormous length", Buffer.from([0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0])],
    ["no text of UTF-8", Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe])],
    ["a reason that is none", Buffer.from([0x88, 0x81, 0, 0, 0, 0, 1])],
    ["a reason that is no UTF-8", Buffer.from([0x88, 0x84, 0, 0, 0, 0, 0x03, 0xe8, 0xff, 0xfe])],
    ["a text within a text", Buffer.from([0x01, 0x81, 0, 0, 0, 0, 120, 0x81, 0x81, 0, 0, 0, 0, 120])],
    ["half of a character", Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0xc3, 0x80, 0x81, 0, 0, 0, 0, 120])],
    ["half of a surrogate pair", Buffer.from([0x81, 0x83, 0, 0, 0, 0, 0xed, 0xa0, 0x80])],
    ["packed, which was not agreed on", Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 120])],
    ["a length of 2^63", Buffer.from([0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
    ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map((code): readonly [string, Buffer] => [
      `the code ${code}`,
      Buffer.from([0x88, 0x82, 0, 0, 0, 0, code >> 8, code & 0xff]),
    ]),
  ];
  const before = (await victim.reached()).length;
  for (const [name, frame] of frames) {
    const client = await rawClient(victim.port);
    client.write(handshake("/orders/chat", {}, [keyed]));
    await until(() => client.received.includes("101 "), { what: `the socket for ${name}` });
    client.socket.write(frame);
    await client.ended();
  }
  assert.equal((await victim.reached()).slice(before), []);
});

test("compression: invalid offers are rejected, and corrupt messages close the socket", async () => {
  const before = (await victim.reached()).length;
  const offers = [
    "permessage-deflate; server_max_window_bits=99",
    "permessage-deflate; client_max_window_bits=7",
    "permessage-deflate; server_no_context_takeover=1",
    "permessage-deflate; evil=1",
    "permessage-deflate; ".repeat(200),
    "permessage-deflate; server_max_window_bits=9; server_max_window_bits=10",
    "=",
    ";",
    ",,,",
    '"',
    "permessage-deflate, \u0000",
  ];
  for (const offer of offers) {
    const client = await rawClient(victim.port);
    client.write(handshake("/orders/chat", { "Sec-WebSocket-Extensions": offer }, [keyed]));
    await until(() => client.isClosed || client.received.includes("\r\n\r\n"), { what: offer });
    assert.not.match(client.received, /^sec-websocket-extensions:.*(?:evil|99|=7)/im);
    // If the server declined the extension, no frame may be compressed.
    if (client.received.includes("101 ") && !/sec-websocket-extensions/i.test(client.received))
      client.socket.write(Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 120]));
    else client.socket.write(Buffer.from([0xc1, 0x84, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]));
    await client.ended();
  }
  assert.equal((await victim.reached()).slice(before), []);
});

test("frame: messages above the limit, in one frame or in fragments, close with 1009", async () => {
  const before = (await victim.reached()).length;
  const headers = { "x-api-key": victim.key };
  const large = await socket(`${victim.url}/orders/chat`, { headers });
  await large.send("x".repeat(10_001));
  assert.is((await large.ended).code, 1009);
  const pieces = await socket(`${victim.url}/orders/chat`, { headers });
  for (let count = 0; count < 20; count += 1) pieces.socket.send("x".repeat(1_000), { fin: false });
  assert.is((await pieces.ended).code, 1009);
  assert.equal((await victim.reached()).slice(before), []);
});

endWell(victim);
test.run();
