import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { bodyBudget, Pieces } from "../../../runtime/process/memory/body-budget.ts";
import { Relay } from "../../../runtime/proxy/forward.ts";
import { createChance } from "../../attack/random-requests.ts";
import { collectGarbage } from "../../harness/heap.ts";
import { until } from "../../harness/wait.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const mebibyte = 1024 * 1024;
const budget = 8 * mebibyte;
const largest = 2 * mebibyte;
const piece = Buffer.alloc(mebibyte / 16, "x");

const output = memoryOutput();
const intake = () => ({ input: httpServerInput({ path: "/new", ws_path: "/socket" }), output });
const gateway = await startGateway([ordersApi({ intake })], {
  maxBodyBytes: largest,
  limits: { max_bytes_in_flight: budget, max_frame_bytes: largest },
});

interface Client {
  readonly socket: Socket;
  /** Returns what the gateway has sent so far. */
  answer(): string;
}

async function open(head: string, { url } = gateway): Promise<Client> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  // Some tests check connections that the gateway cuts.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(head);
  return { socket, answer: () => text };
}

function post(length: number, ...headers: readonly string[]): string {
  const lines = ["POST /orders/new HTTP/1.1", "Host: localhost", `Content-Length: ${length}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Resolves when more can be written, or when nothing can be written any longer. */
function hasRoom(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve).once("close", () => resolve());
  });
}

/** Sends `bytes` bytes; stops early if a response arrives. */
async function send({ socket, answer }: Client, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && answer() === "" && !socket.destroyed; sent += piece.length) {
    if (!socket.write(piece)) await hasRoom(socket);
  }
}

/** Records the most bytes that are held at a time, until `end` returns them. */
function recordUse(): { end(): number } {
  let { used } = bodyBudget;
  let most = used;
  const property = { configurable: true, enumerable: true };
  Object.defineProperty(bodyBudget, "used", {
    ...property,
    get: () => used,
    set(value: number) {
      used = value;
      most = Math.max(most, used);
    },
  });
  return {
    end() {
      Object.defineProperty(bodyBudget, "used", { ...property, value: used, writable: true });
      return most;
    },
  };
}

const nothingHeld = () => until(() => bodyBudget.used === 0, { what: "every byte given back" });

test("many unfinished bodies stay within the budget, and release all of it", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const clients = await Promise.all(Array.from({ length: 60 }, () => open(post(largest))));
  const use = recordUse();
  await Promise.all(clients.map((client) => send(client, largest - piece.length)));
  const refused = await until(() => {
    const answers = clients.filter(({ answer }) => answer().startsWith("HTTP/1.1 503"));
    return answers.length >= 50 && answers;
  });
  const most = use.end();
  for (const { answer } of refused) assert.match(answer(), /\r\nretry-after: 1\r\n/i);
  assert.ok(most > budget / 2 && most <= budget, `${most}`);
  // Refused bodies are garbage.
  await until(() => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers - before < 4 * budget;
  });
  for (const { socket } of clients) socket.destroy();
  await nothingHeld();
});

test("a body that is never finished releases its bytes at the timeout", async () => {
  const hasty = await startGateway([ordersApi({ intake })], {
    limits: { max_bytes_in_flight: budget, head_timeout: 1_000, body_timeout: 1_000 },
  });
  const use = recordUse();
  const client = await open(post(mebibyte), hasty);
  client.socket.write("slow");
  await until(() => client.answer().startsWith("HTTP/1.1 408 "));
  await nothingHeld();
  assert.is(use.end(), 4);
  await hasty.close();
});

const packedPiece = gzipSync(piece);

test("a thousand aborted requests leave nothing behind", async () => {
  for (let round = 0; round < 10; round += 1) {
    const clients = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        open(post(mebibyte, ...(at % 2 ? ["Content-Encoding: gzip"] : []))),
      ),
    );
    for (const { socket } of clients) socket.write(packedPiece);
    await until(() => bodyBudget.used > 0);
    for (const { socket } of clients) socket.destroy();
    await nothingHeld();
  }
});

test("bodies count at their decompressed size, and one that never fits is answered 413", async () => {
  const packed = gzipSync(Buffer.alloc(largest - 1));
  const answer = await fetch(`${gateway.url}/orders/new`, {
    method: "POST",
    body: packed,
    headers: { "content-encoding": "gzip" },
  });
  assert.is(answer.status, 200);
  await nothingHeld();
  const { limit } = bodyBudget;
  bodyBudget.limit = mebibyte;
  for (const body of [packed, Buffer.alloc(largest - 1)]) {
    const headers = body === packed ? { "content-encoding": "gzip" } : {};
    const refused = await fetch(`${gateway.url}/orders/new`, { method: "POST", body, headers });
    assert.is(refused.status, 413);
    assert.is(await refused.text(), '{"error":"Request body is too large"}');
  }
  bodyBudget.limit = limit;
  await nothingHeld();
});

/** A close frame with the code 1013 (RFC 6455, section 5.5.1). */
const reason = "too many messages are being read";
const tryAgainLater = `\x88${String.fromCharCode(2 + reason.length)}\x03\xf5${reason}`;

/** Returns the memory that this process holds after a garbage collection. */
function heldMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("pieces are returned in order, however they were split", () => {
  const chance = createChance(3);
  const size = () => Math.floor(chance() ** 4 * 5_000);
  for (let round = 0; round < 300; round += 1) {
    const pieces = new Pieces();
    let expected = Buffer.alloc(0);
    for (let step = 0; step < 60; step += 1) {
      // Some arrays use all of their memory, and some are a part of the memory that was read.
      const read = Buffer.from(Array.from({ length: size() }, () => Math.floor(chance() * 256)));
      const part = chance() < 0.5 ? new Uint8Array(read) : read.subarray(Math.floor(chance() * read.length));
      pieces.add(part);
      expected = Buffer.concat([expected, part]);
      if (chance() < 0.3) {
        const count = Math.min(size(), expected.length);
        assert.equal(Buffer.from(pieces.take(count)), expected.subarray(0, count));
        expected = expected.subarray(count);
      }
      assert.is(pieces.length, expected.length);
    }
    assert.equal(Buffer.from(pieces.takeAll()), expected);
    assert.is(pieces.length, 0);
  }
});

test("one-byte pieces, and views of larger buffers, use little more memory than their bytes", async () => {
  const count = 100_000;
  for (const make of [() => new Uint8Array(1), () => new Uint8Array(1_000).subarray(0, 1)]) {
    const before = heldMemory();
    const pieces = new Pieces();
    for (let added = 0; added < count; added += 1) pieces.add(make());
    // The memory of buffers is released concurrently with the collection.
    await until(() => heldMemory() - before < mebibyte, { what: "the memory of what was copied given back" });
    assert.is(pieces.length, count);
  }
});

test("bodies in one-byte chunks use little more memory than their bytes", async () => {
  const before = heldMemory();
  // The gateway refuses more chunks than these on one connection.
  const count = 15_000;
  const head = "POST /orders/new HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const clients = await Promise.all(Array.from({ length: 12 }, () => open(head)));
  for (const { socket } of clients) socket.write("1\r\nx\r\n".repeat(count));
  await until(() => bodyBudget.used === clients.length * count);
  await until(() => heldMemory() - before < 16 * mebibyte, { what: "little more than the bytes held" });
  for (const { socket } of clients) socket.destroy();
  await nothingHeld();
});

test("data that the destination does not take yet is joined, and continues on drain", async () => {
  const from = new PassThrough({ highWaterMark: 1 });
  const written: Buffer[] = [];
  const callbacks: (() => void)[] = [];
  const to = new Writable({
    highWaterMark: 64 * 1024,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      callbacks.push(done);
    },
  });
  const relay = new Relay(from, to);
  let given = "";
  for (let at = 0; !from.isPaused() && at < 1_000_000; at += 1) {
    const letter = String.fromCharCode(97 + (at % 26));
    relay.write(Buffer.from(letter));
    given += letter;
  }
  assert.ok(given.length <= 128 * 1024, `${given.length} bytes before it was held back`);
  relay.flush();
  await until(() => {
    for (const done of callbacks.splice(0)) done();
    return !from.isPaused();
  });
  assert.is(Buffer.concat(written).toString(), given);
  assert.ok(written.length < 20, `${written.length} writes`);
});

test("a WebSocket message received byte by byte counts the memory of its pieces; pings count nothing", async () => {
  const { socket, answer } = await open(
    [
      "GET /orders/socket HTTP/1.1",
      "Host: localhost",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    ].join("\r\n"),
  );
  await until(() => answer().includes("101 "));
  socket.setNoDelay(true);
  const pings = Buffer.from([0x89, 0x81, 0, 0, 0, 0, 0x61]);
  socket.write(pings.subarray(0, 3));
  await until(() => bodyBudget.used > 0);
  socket.write(pings.subarray(3));
  await nothingHeld();
  const message = Buffer.from([0x81, 0xfe, 0x10, 0x00, 0, 0, 0, 0, ...Buffer.alloc(0x1000, "x")]);
  const { length } = output.batches;
  socket.write(Buffer.concat([message, pings]));
  await until(() => output.batches.length > length);
  await nothingHeld();
  let used = 0;
  for (const byte of [0x81, 0xfe, 0x10, 0x00, 0, 0, 0, 0, 0x61, 0x61]) {
    socket.write(Buffer.of(byte));
    await until(() => bodyBudget.used > used);
    used = bodyBudget.used;
  }
  assert.ok(used > 10 * 256, `${used} bytes for ten reads`);
  socket.destroy();
  await nothingHeld();
});

test("WebSocket messages count while they are received, and refused clients receive the reason", async () => {
  const upgrade = [
    "GET /orders/socket HTTP/1.1",
    "Host: localhost",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ];
  const clients = await Promise.all(
    Array.from({ length: 10 }, () => open(`${upgrade.join("\r\n")}\r\n\r\n`)),
  );
  await until(() => clients.every(({ answer }) => answer().includes("101 ")));
  // The first frame of a fragmented text message, masked with zeros.
  const length = largest - piece.length;
  const head = Buffer.from([0x01, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 6);
  const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
  const fill = async ({ socket }: Client) => {
    socket.write(head);
    for (let sent = 0; sent < length && socket.writable; sent += piece.length) {
      if (!socket.write(piece)) await hasRoom(socket);
    }
    if (socket.writable) socket.write(ping);
  };
  await Promise.all(clients.map(fill));
  const refused = await until(() => {
    const closed = clients.filter(({ socket }) => socket.destroyed);
    return closed.length > 0 && closed;
  });
  assert.ok(bodyBudget.used > length && bodyBudget.used <= bodyBudget.limit);
  for (const { answer } of refused) assert.ok(answer().endsWith(tryAgainLater));
  for (const { socket } of clients) socket.destroy();
  await nothingHeld();
});

test.after(() => gateway.close());
test.run();
