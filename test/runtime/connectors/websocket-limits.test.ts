import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { deflateRawSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { WebSocket } from "ws";
import { websocketInput } from "../../../runtime/connectors/websocket/input.ts";
import { websocketOutput } from "../../../runtime/connectors/websocket/output.ts";
import { largestClientMessage } from "../../../runtime/sockets/client-limits.ts";
import { until } from "../../harness/wait.ts";
import { componentContext, inputContext } from "./contexts.ts";
import { startServer } from "./websocket-peer.ts";

const test = suite("websocket limits");

/** Returns the header of a server's frame (RFC 6455, section 5.2). Its extended length claims `length` bytes. */
function frameHead(first: number, length: number): Buffer {
  const head = Buffer.from([first, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

const beyondLimits: Readonly<Record<string, (socket: WebSocket) => void>> = {
  "the server sent a message of more than 67108864 bytes": (socket) =>
    socket.send(Buffer.alloc(largestClientMessage + 1)),
  // The message is sent in frames, each of which is small enough.
  "the server sent a message of more than 67108864 bytes, together": (socket) => {
    for (let part = 0; part < 65; part++) socket.send(Buffer.alloc(1024 * 1024), { fin: part === 64 });
  },
  // Only the header arrives: the client refuses the claimed length before it allocates memory.
  "the server sent a message of more than 67108864 bytes, as its head claims": (socket) =>
    write(socket, frameHead(0x82, 2 ** 52)),
  "the server sent a message in too many frames": (socket) => {
    for (let part = 0; part <= 16_384; part++) socket.send("x", { fin: false });
  },
  "Invalid WebSocket frame: RSV1 must be clear": (socket) => {
    const bomb = deflateRawSync(Buffer.alloc(largestClientMessage * 2));
    write(socket, Buffer.concat([frameHead(0xc2, bomb.length), bomb]));
  },
};

/** Writes bytes directly to the connection, past the WebSocket library. */
function write(socket: WebSocket, bytes: Buffer): void {
  const { _socket: connection }: { _socket?: Socket } = Object(socket);
  assert.ok(connection);
  connection.write(bytes);
}

for (const [reason, send] of Object.entries(beyondLimits)) {
  for (const kind of reason.includes(",") ? (["input"] as const) : (["input", "output"] as const)) {
    test(`the ${kind} disconnects from a server that exceeds a limit: ${reason}`, async () => {
      const server = await startServer();
      const context = inputContext();
      const part =
        kind === "input" ? websocketInput({ url: server.url }) : websocketOutput({ url: server.url });
      await part.start(context);
      const { socket } = await server.peers.next();
      const closed = once(socket, "close");
      send(socket);
      const [line] = await until(() => {
        const lines = context.lines.filter(({ message }) => message.includes("connection lost"));
        return lines.length > 0 && lines;
      });
      assert.is(line?.fields.reason, reason.replace(/, .*/, ""));
      assert.match(String((await closed)[0]), /^(?:1009|1008|1002)$/);
      const again = await server.peers.next();
      if (kind === "input") {
        again.socket.send("after");
        const { text, confirm } = await context.deliveries.next();
        assert.is(text, "after");
        confirm();
      }
      assert.is(context.deliveries.all.length, kind === "input" ? 1 : 0);
      await part.close();
      await server.close();
    });
  }
}

test("a message of the maximum size and number of frames is accepted", async () => {
  const server = await startServer();
  const context = inputContext();
  const input = websocketInput({ url: server.url });
  await input.start(context);
  const { socket } = await server.peers.next();
  for (let part = 1; part <= 16_384; part++)
    socket.send(Buffer.alloc(largestClientMessage / 16_384), { fin: part === 16_384 });
  const { batch, confirm } = await context.deliveries.next();
  assert.is(batch[0]?.bytes().length, largestClientMessage);
  confirm();
  await input.close();
  await server.close();
});

test("a server that compresses without an offer is rejected", async () => {
  const server = await startServer({ compression: true });
  const fair = websocketOutput({ url: server.url });
  await fair.start(componentContext());
  assert.is((await server.peers.next()).headers["sec-websocket-extensions"], undefined);
  await fair.close();
  const head = "sec-websocket-extensions: permessage-deflate";
  const pretender = createServer();
  pretender.on("upgrade", (request, raw) => {
    const key = createHash("sha1").update(
      `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    );
    raw.end(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${head}\r\nSec-WebSocket-Accept: ${key.digest("base64")}\r\n\r\n`,
    );
  });
  await once(pretender.listen(0, "127.0.0.1"), "listening");
  const { port } = pretender.address() as AddressInfo; // a TCP server that listens has this kind of address
  const output = websocketOutput({ url: `ws://127.0.0.1:${port}` });
  assert.match(
    String(await Promise.resolve(output.start(componentContext())).catch(String)),
    /cannot be reached/,
  );
  await output.close();
  await new Promise((done) => pretender.close(done));
  await server.close();
});

test.run();
