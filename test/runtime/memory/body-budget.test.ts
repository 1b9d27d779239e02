import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { bodyBudget } from "../../../runtime/process/memory/body-budget.ts";
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
  /** What the gateway has answered so far. */
  answer(): string;
}

async function open(head: string, { url } = gateway): Promise<Client> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  // A connection that the gateway cuts is what some tests are after.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(head);
  return { socket, answer: () => text };
}

function post(length: number, ...headers: readonly string[]): string {
  const lines = ["POST /orders/new HTTP/1.1", "Host: localhost", `Content-Length: ${length}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Until more can be written, or nothing more ever. */
function hasRoom(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve).once("close", () => resolve());
  });
}

/** Sends so many bytes, and stops where an answer comes before. */
async function send({ socket, answer }: Client, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && answer() === "" && !socket.destroyed; sent += piece.length) {
    if (!socket.write(piece)) await hasRoom(socket);
  }
}

const nothingHeld = () => until(() => bodyBudget.used === 0, { what: "every byte given back" });

test("many unfinished bodies stay within the budget, and nothing of them is left", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const clients = await Promise.all(Array.from({ length: 60 }, () => open(post(largest))));
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, bodyBudget.used);
  }, 5);
  await Promise.all(clients.map((client) => send(client, largest - piece.length)));
  const refused = await until(() => {
    const answers = clients.filter(({ answer }) => answer().startsWith("HTTP/1.1 503"));
    return answers.length >= 50 && answers;
  });
  clearInterval(watch);
  for (const { answer } of refused) assert.match(answer(), /\r\nretry-after: 1\r\n/i);
  assert.ok(most > budget / 2 && most <= budget, `${most}`);
  // What was refused is garbage.
  await until(() => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers - before < 4 * budget;
  });
  for (const { socket } of clients) socket.destroy();
  await nothingHeld();
});

test("a body that is never finished gives its bytes back when its time is over", async () => {
  const hasty = await startGateway([ordersApi({ intake })], {
    limits: { max_bytes_in_flight: budget, head_timeout: 200, body_timeout: 200 },
  });
  const client = await open(post(mebibyte), hasty);
  client.socket.write("slow");
  await until(() => bodyBudget.used === 4);
  await nothingHeld();
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

test("bodies count as they are unpacked, and one that never fits is 413", async () => {
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

test("messages of sockets count while they come, and who is refused is sent why", async () => {
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
  // The first frame of a text that goes on, masked with zeros.
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
