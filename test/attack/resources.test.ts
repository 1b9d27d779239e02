// Attacks that exhaust the gateway instead of breaking into it, by size, time or number.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { run } from "../harness/processes.ts";
import { until } from "../harness/wait.ts";
import { rawClient } from "../runtime/listener/raw-client.ts";
import {
  type Attempt,
  answersTo,
  endWell,
  refuseAll,
  request,
  startVictim,
  writeUntilClosed,
} from "./attacked.ts";

const victim = await startVictim();
const keyed = `X-Api-Key: ${victim.key}`;

/** The head of a request whose body is announced but not part of it. */
function head(...headers: readonly string[]): string {
  return `POST /orders/new HTTP/1.1\r\nHost: localhost\r\n${headers.join("\r\n")}\r\n\r\n`;
}

const large: readonly Attempt[] = [
  ["a header", request("/orders/new", { headers: [keyed, `X: ${"x".repeat(9_000)}`] })],
  ["a cookie", request("/orders/new", { headers: [keyed, `Cookie: ${"a=b; ".repeat(2_000)}`] })],
  [
    "many headers",
    request("/orders/new", { headers: [keyed, ...Array.from({ length: 60 }, (_, at) => `X-${at}: 1`)] }),
  ],
  ["a path", request(`/orders/${"a".repeat(9_000)}`, { headers: [keyed] })],
  ["a path of many parts", request(`/orders${"/a".repeat(3_000)}`)],
  ["a query", request(`/orders/new?${"a=b&".repeat(3_000)}`, { headers: [keyed] })],
  ["a method", request("/orders/new", { method: "A".repeat(9_000) })],
  ["a body", request("/orders/new", { headers: [keyed], body: "x".repeat(100_001) })],
  ["a body that is announced", head(keyed, "Connection: close", "Content-Length: 1000000000000")],
  ["a body of nobody", request("/orders/new", { body: "x".repeat(1_000_000) })],
  [
    "a body in one chunk",
    `${head(keyed, "Connection: close", "Transfer-Encoding: chunked")}20000\r\n${"x".repeat(0x20000)}\r\n0\r\n\r\n`,
  ],
  [
    "a body in many chunks",
    `${head(keyed, "Connection: close", "Transfer-Encoding: chunked")}${"1\r\nx\r\n".repeat(101_000)}0\r\n\r\n`,
  ],
  [
    "extensions of chunks",
    `${head(keyed, "Connection: close", "Transfer-Encoding: chunked")}1;${"a".repeat(40_000)}\r\nx\r\n0\r\n\r\n`,
  ],
  [
    "trailers",
    `${head(keyed, "Connection: close", "Transfer-Encoding: chunked")}0\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
  ],
  ["a body that unpacks to more", packed(gzipSync(Buffer.alloc(5_000_000)), "gzip")],
  ["a body packed again and again", packed(Buffer.from("x"), "gzip, gzip, gzip, gzip")],
];

function packed(bytes: Buffer, encoding: string): string {
  return request("/orders/new", {
    headers: [keyed, `Content-Encoding: ${encoding}`],
    body: bytes.toString("latin1"),
  });
}

refuseAll("large", victim, large);

test("large: the gateway reads no more than the body limit of a rejected endless body, on any path", async () => {
  const piece = Buffer.from(`10000\r\n${"x".repeat(0x10000)}\r\n`);
  const lines = ["Host: localhost", "Transfer-Encoding: chunked"];
  for (const [begin, status] of [
    ["POST /orders/new", 401],
    ["POST /nowhere", 404],
    [`DELETE /orders/new HTTP/1.1\r\n${keyed}`, 405],
    [`POST /orders/new HTTP/1.1\r\n${keyed}`, 413],
    [`POST /orders/things HTTP/1.1\r\n${keyed}`, 413],
  ] as const) {
    const client = await rawClient(victim.port);
    const line = begin.includes("\r\n") ? begin : `${begin} HTTP/1.1`;
    client.write(`${[line, ...lines].join("\r\n")}\r\n\r\n`);
    const written = await writeUntilClosed(client.socket, piece);
    assert.match(client.received, new RegExp(`^HTTP/1\\.1 ${status} `));
    // 16 MiB, and what the operating system buffers in between.
    assert.ok(written < 48 * 2 ** 20, `${Math.round(written / 2 ** 20)} MiB were taken after ${status}`);
  }
});

test("large: a body of thousands of parts does not stop the process", async () => {
  const part = "--b\r\n\r\n\r\n";
  const headers = [keyed, "Content-Type: multipart/form-data; boundary=b"];
  await answersTo(victim.port, request("/orders/new", { headers, body: `${part.repeat(9_000)}--b--` }));
  assert.equal(await answersTo(victim.port, request("/orders/new")), [401]);
});

refuseAll("slow", victim, [
  ["nothing at all", ""],
  ["a line that does not end", "POST /orders"],
  ["headers that do not end", "POST /orders/new HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n"],
  ["a body that does not come", head(keyed, "Content-Length: 10")],
  ["a chunk that does not come", `${head(keyed, "Transfer-Encoding: chunked")}5\r\nab`],
]);

test("slow: a body announced with Expect: 100-continue that never arrives gets 408", async () => {
  const statuses = await answersTo(victim.port, head(keyed, "Content-Length: 10", "Expect: 100-continue"));
  assert.equal(statuses, [100, 408]);
});

test("slow: a trickle of headers does not extend the header timeout", async () => {
  const client = await rawClient(victim.port);
  client.write("POST /orders/new HTTP/1.1\r\nHost: a\r\n");
  const drip = setInterval(() => client.write("X-A: 1\r\n"), 100);
  await client.ended();
  clearInterval(drip);
  assert.match(client.received, /^HTTP\/1\.1 408 /);
});

test("slow: unread responses and pipelined requests do not accumulate", async () => {
  const client = connect({ port: victim.port, host: "127.0.0.1" });
  client.on("error", () => undefined);
  await once(client, "connect");
  client.pause();
  const before = await victim.memory();
  const one = request("/orders/new").replace("Connection: close\r\n", "");
  for (let sent = 0; sent < 200; sent += 1) client.write(one.repeat(500));
  // Gives the event loop many turns, in each of which it could read more requests.
  for (let turn = 0; turn < 100; turn += 1)
    assert.equal(await answersTo(victim.port, request("/orders/new")), [401]);
  const growth = (await victim.memory()) - before;
  assert.ok(growth < 100 * 2 ** 20, `it holds ${Math.round(growth / 2 ** 20)} MiB more than before`);
  client.destroy();
});

/** Returns 80% of the process's limit of open files, at least 100 and at most 10,000. */
async function mostConnections(): Promise<number> {
  const { stdout } = await run("sh", ["-c", "ulimit -n"]);
  const limit = stdout.trim() === "unlimited" ? Number.POSITIVE_INFINITY : Number(stdout);
  return Math.max(100, Math.min(10_000, Math.floor(limit * 0.8)));
}

const count = await mostConnections();

/** Repeats a request until it is answered: the gateway drops connections above its limit until others have closed. */
function askAmongMany(): Promise<readonly number[]> {
  return until(async () => {
    const statuses = await answersTo(victim.port, request("/orders/new", { headers: [keyed] }));
    return statuses.length > 0 && statuses;
  });
}

test(`idle: ${count} connections of 10,000 (as many as open files allow) do not block others, and are closed`, async () => {
  const before = await victim.memory();
  const sockets: Socket[] = [];
  let closed = 0;
  for (let made = 0; made < count; made += 1) {
    const client = connect({ port: victim.port, host: "127.0.0.1" });
    client.on("error", () => undefined);
    client.once("close", () => {
      closed += 1;
    });
    client.resume();
    sockets.push(client);
    // An answer proves that this connection and all before it were accepted, so at most one batch waits.
    if (made % 500 === 499) assert.equal(await askAmongMany(), [200]);
  }
  await until(() => closed === sockets.length, { what: "the end of idle connections" });
  assert.ok((await victim.memory()) - before < 400 * 2 ** 20);
});

endWell(victim);
test.run();
