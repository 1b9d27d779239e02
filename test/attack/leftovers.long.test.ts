// Hundreds of requests of each kind that end early must not leak any object, listener or timer.
// `REQUESTS=5000` sends more.

import type { OutgoingHttpHeaders } from "node:http";
import { constants } from "node:http2";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createCertificates } from "../harness/certificates.ts";
import { until } from "../harness/wait.ts";
import { answerTo, http2Client } from "../runtime/listener/http2-client.ts";
import { rawClient } from "../runtime/listener/raw-client.ts";
import { startVictim, type Victim } from "./attacked.ts";

const count = Number(process.env.REQUESTS ?? 200);
const atOnce = 100;
/** The allowed increase of objects: caches that fill, connections to upstreams, compiled code. */
const mostMore = count / 5;

const plain = await startVictim();
const certificates = await createCertificates();
const secure = await startVictim(certificates.server);

const head = (line: string, ...lines: readonly string[]) =>
  `${[line, "Host: localhost", ...lines].join("\r\n")}\r\n\r\n`;
const keyed = `X-Api-Key: ${plain.key}`;
const events = "Accept: text/event-stream";
const upgrade = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  `Sec-WebSocket-Key: ${"A".repeat(22)}==`,
];

/** The bytes to send, and the response the client waits for: "" for none, "end" for the end of the connection. */
const kinds: Readonly<Record<string, readonly [bytes: string, awaited: RegExp | "end" | undefined]>> = {
  "an upload that is cut off": [
    `${head("POST /orders/new HTTP/1.1", keyed, "Content-Length: 100")}begin`,
    undefined,
  ],
  "an upload in chunks that is cut off": [
    `${head("POST /orders/new HTTP/1.1", keyed, "Transfer-Encoding: chunked")}5\r\nbegin\r\n`,
    undefined,
  ],
  "an upload that stops": [`${head("POST /orders/new HTTP/1.1", keyed, "Content-Length: 100")}begin`, "end"],
  "an upload that is too large": [head("POST /orders/new HTTP/1.1", keyed, "Content-Length: 100001"), /413/],
  "an upload that waits to be asked for": [
    head("POST /orders/new HTTP/1.1", keyed, "Content-Length: 5", "Expect: 100-continue"),
    /100 Continue/,
  ],
  "an upload to the upstream that is cut off": [
    `${head("POST /orders/things HTTP/1.1", keyed, "Content-Length: 100")}begin`,
    undefined,
  ],
  "a request to the upstream that is left": [head("GET /orders/things HTTP/1.1", keyed), undefined],
  "an event stream that is left": [head("GET /orders/events HTTP/1.1", keyed, events), /200 OK/],
  "an event stream that is left at once": [head("GET /orders/events HTTP/1.1", keyed, events), undefined],
  "a request for a message that is left": [head("GET /orders/events HTTP/1.1", keyed), undefined],
  "a head that does not end": ["GET /orders/events HTTP/1.1\r\nHost: a\r\n", "end"],
  "a head that is none": ["GET\r\n\r\n", "end"],
  "a request without a credential": [head("POST /orders/new HTTP/1.1", "Content-Length: 1"), /401/],
  "a socket without a credential": [head("GET /orders/chat HTTP/1.1", ...upgrade), /401/],
  "a socket to a path of plain requests": [
    head("GET /orders/new HTTP/1.1", keyed, ...upgrade),
    /HTTP\/1.1 \d/,
  ],
  "a socket that the upstream refuses": [
    head("GET /orders/things HTTP/1.1", keyed, ...upgrade),
    /HTTP\/1.1 \d/,
  ],
  "a socket to the upstream that is left": [
    head("GET /orders/things HTTP/1.1", keyed, ...upgrade),
    undefined,
  ],
  "a socket that is cut off": [head("GET /orders/chat HTTP/1.1", keyed, ...upgrade), /101/],
  "a socket that breaks the protocol": [
    `${head("GET /orders/chat HTTP/1.1", keyed, ...upgrade)}\xff\xff`,
    "end",
  ],
  "several requests at once, of which none is waited for": [
    head("GET /orders/events HTTP/1.1", keyed).repeat(5),
    undefined,
  ],
  "a stream of its own that is left": [
    `${head("POST /orders/tenants/7 HTTP/1.1", keyed, "X-Tenant: a", "Content-Length: 100")}begin`,
    undefined,
  ],
  "a connection that sends nothing": ["", undefined],
};

async function ask(bytes: string, awaited: RegExp | "end" | undefined): Promise<void> {
  const client = await rawClient(plain.port);
  client.write(bytes);
  if (awaited === "end") await client.ended();
  else if (awaited !== undefined)
    await new Promise<void>((resolve) => {
      const look = () => (awaited.test(client.received) || client.isClosed ? resolve() : undefined);
      client.socket.on("data", look).on("close", look);
    });
  client.socket.destroy();
}

async function repeat(times: number, request: () => Promise<void>): Promise<void> {
  for (let sent = 0; sent < times; sent += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, times - sent) }, request));
}

type Held = Readonly<Record<string, number>>;

/** The kinds of objects whose number grew by more than allowed. */
function more(before: Held, after: Held): readonly string[] {
  return Object.entries(after)
    .map(([name, held]) => [name, held - (before[name] ?? 0)] as const)
    .filter(([, grown]) => grown > mostMore)
    .map(([name, grown]) => `${name}: ${grown} more`);
}

/**
 * Retries: the gateway may notice an end a moment after the client, and lets sockets to upstreams close within ten
 * seconds.
 */
async function nothingLeft(victim: Victim, before: Held): Promise<void> {
  let left: readonly string[] = [];
  const look = async () => {
    left = more(before, await victim.held());
    return left.length === 0;
  };
  await until(look).catch(() => undefined);
  assert.equal(left, []);
}

/** The objects held after caches are filled and code is compiled. */
let heldByPlain: Held;
test("requests of every kind get responses", async () => {
  for (const [bytes, awaited] of Object.values(kinds)) await repeat(atOnce, () => ask(bytes, awaited));
  heldByPlain = await plain.held();
});

for (const [name, [bytes, awaited]] of Object.entries(kinds)) {
  test(`${name} leaks nothing`, async () => {
    await repeat(count, () => ask(bytes, awaited));
    await nothingLeft(plain, heldByPlain);
  });
}

/** Heads of HTTP/2 requests, and whether the client waits for the response before it cancels the request. */
const ofHttp2: Readonly<Record<string, readonly [headers: OutgoingHttpHeaders, waits: boolean]>> = {
  "an upload that is taken back": [
    { ":path": "/orders/new", ":method": "POST", "x-api-key": secure.key },
    false,
  ],
  "an event stream that is taken back": [
    { ":path": "/orders/events", "x-api-key": secure.key, accept: "text/event-stream" },
    true,
  ],
  "an event stream that is taken back at once": [
    { ":path": "/orders/events", "x-api-key": secure.key, accept: "text/event-stream" },
    false,
  ],
  "a request to the upstream that is taken back": [
    { ":path": "/orders/things", "x-api-key": secure.key },
    false,
  ],
  "an upload without a credential": [{ ":path": "/orders/new", ":method": "POST" }, true],
};

async function takeBack(headers: OutgoingHttpHeaders, waits: boolean): Promise<void> {
  const client = await http2Client(secure.url, { ca: certificates.authority.cert });
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const stream = client.open(headers);
      stream.on("error", () => undefined);
      // Node.js closes no stream whose response is not read, and the gateway may have ended it already.
      stream.resume();
      const closed = new Promise((resolve) => stream.once("close", resolve));
      if (waits) await answerTo(stream);
      else stream.write("begin");
      stream.close(constants.NGHTTP2_CANCEL);
      await closed;
    }),
  );
  client.session.destroy();
}

let heldBySecure: Held;
test("HTTP/2: requests of every kind get responses", async () => {
  for (const [headers, waits] of Object.values(ofHttp2)) await takeBack(headers, waits);
  heldBySecure = await secure.held();
});

for (const [name, [headers, waits]] of Object.entries(ofHttp2)) {
  test(`HTTP/2: ${name} leaks nothing`, async () => {
    for (let sent = 0; sent < count; sent += atOnce) await takeBack(headers, waits);
    await nothingLeft(secure, heldBySecure);
  });
}

test("both gateways still serve and shut down", async () => {
  await plain.finish();
  await secure.finish();
});

test.run();
