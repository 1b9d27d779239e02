// Clients that are connected to a program and receive every message posted to it.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Load, RequestLoad } from "./load.ts";
import type { Audience } from "./rows.ts";

/** Number of clients that connect at the same time; the listener's queue would refuse more. */
const together = 200;

/** Number of messages in flight. */
const inFlight = 8;

/** Maximum milliseconds for all clients to connect and to receive all messages; not a measurement. */
const patience = 120_000;

/** The request with which a client of each kind connects. */
const joinRequests = {
  SSE: "GET /events HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n",
  WebSocket:
    "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
} as const;

/**
 * Connects clients to a server. `onData` receives the bytes after the response's head. Rejects if a response takes
 * too long.
 */
export async function joinClients(
  address: URL,
  { kind, count }: Audience,
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
        const [answer] = await once(socket, "data", { signal });
        if (!/^HTTP\/1\.1 (200|101) /.test(String(answer))) throw new Error(String(answer));
        socket.on("data", onData);
      }),
    );
  }
  return sockets;
}

/** Posts `messages` to a program with clients. A mark follows the last message of a round. */
export async function openAudience(
  address: URL,
  audience: Audience,
  messages: readonly Uint8Array[],
): Promise<Load> {
  let received = 0;
  let seen: () => void = () => undefined;
  const mark = Buffer.from('"shipping"');
  const sockets = await joinClients(address, audience, [], (bytes) => {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) received += 1;
    seen();
  });
  const requests = messages.map((message) => requestWith(message));
  const load = await RequestLoad.open(address, requests, inFlight);
  const postsFor = (deliveries: number) => Math.max(inFlight, Math.ceil(deliveries / audience.count));
  return {
    actual: (deliveries) => postsFor(deliveries) * audience.count,
    async send(deliveries) {
      const posts = postsFor(deliveries);
      const wanted = received + posts * audience.count;
      const all = new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${wanted - received} messages are missing`)),
          patience,
        );
        seen = () => {
          if (received < wanted) return;
          clearTimeout(timer);
          resolve();
        };
      });
      await load.send(posts);
      seen();
      await all;
      return new Float64Array();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await load.close();
    },
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
