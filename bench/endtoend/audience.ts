// What the load sends to a program, and the clients that receive messages from it.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { until } from "../../test/harness/wait.ts";
import { type Count, type Feed, RequestLoad } from "./load.ts";
import type { Audience } from "./rows.ts";

/** Number of clients that connect at the same time; the listener's queue would refuse more. */
const together = 200;

/** Number of requests in flight. */
const inFlight = 8;

/** Maximum milliseconds for all clients to connect; not a measurement. */
const patience = 120_000;

/** The request with which a client of each kind connects. */
const joinRequests = {
  SSE: "GET /events HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n",
  WebSocket:
    "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
} as const;

/**
 * Connects clients to a server. `onData` receives the bytes after the response's head, or with it if messages are
 * shared. Rejects if a response takes too long.
 */
export async function joinClients(
  address: URL,
  { kind, count, distribution }: Audience,
  sockets: Socket[] = [],
  onData: (bytes: Buffer) => void = () => undefined,
): Promise<readonly Socket[]> {
  const signal = AbortSignal.timeout(patience);
  for (let joined = 0; joined < count; joined += together) {
    await Promise.all(
      Array.from({ length: Math.min(together, count - joined) }, async () => {
        const socket = connect(Number(address.port), address.hostname);
        sockets.push(socket);
        await once(socket, "connect", { signal });
        socket.write(joinRequests[kind]);
        // The reference engine sends the head of a stream together with its first message.
        if (distribution === "share") return void socket.on("data", onData);
        const [answer] = await once(socket, "data", { signal });
        if (!/^HTTP\/1\.1 (200|101) /.test(String(answer))) throw new Error(String(answer));
        socket.on("data", onData);
      }),
    );
  }
  return sockets;
}

/** A byte that occurs once in each order, in its address of e-mail, and nowhere in heads, events or frames. */
const mark = 0x40;

/** Connects an audience and counts the messages that it receives. */
export async function countClients(address: URL, audience: Audience): Promise<Count> {
  let received = 0;
  const sockets = await joinClients(address, audience, [], (bytes) => {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) received += 1;
  });
  return {
    copies: audience.distribution === "broadcast" ? audience.count : 1,
    pause: 1,
    read: async () => received,
    async close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Number of sockets that send frames. */
const senders = 64;

/** Sends messages as frames of several WebSockets in turn. */
export async function feedSockets(address: URL): Promise<Feed> {
  // The program listens before it is connected to its broker.
  const sockets = await until(() =>
    joinClients(address, { kind: "WebSocket", count: senders, distribution: "broadcast" }),
  );
  let next = 0;
  return {
    async publish(messages) {
      for (const message of messages) {
        next = (next + 1) % senders;
        sockets[next]?.write(frameOf(message));
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns a text frame as clients send it (RFC 6455, section 5.2), of 126 to 65,535 bytes. */
function frameOf(message: Uint8Array): Buffer {
  const key = [0x37, 0xfa, 0x21, 0x3d];
  const masked = message.map((byte, index) => byte ^ (key[index % 4] ?? 0));
  return Buffer.concat([
    Buffer.from([0x81, 0xfe, message.length >> 8, message.length & 0xff, ...key]),
    masked,
  ]);
}

/** Sends messages as the bodies of requests. */
export async function feedRequests(address: URL, messages: readonly Uint8Array[]): Promise<Feed> {
  const requests = messages.map((message) => requestWith(message));
  const load = await RequestLoad.open(address, requests, inFlight);
  return {
    publish: async ({ length }) => void (await load.send(length)),
    close: () => load.close(),
  };
}

/** Returns a POST request with a body and an optional header. */
export function requestWith(
  body: Uint8Array,
  { path = "/in", header }: { readonly path?: string; readonly header?: string | undefined } = {},
): Buffer {
  const fields = [
    "host: localhost",
    "content-type: application/json",
    ...(header === undefined ? [] : [header]),
  ];
  const head = `POST ${path} HTTP/1.1\r\n${fields.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
