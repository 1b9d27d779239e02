// Clients that are connected to a side and get every message that is posted to it.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Load, RequestLoad } from "./load.ts";
import type { Audience } from "./rows.ts";

/** Clients that connect at one time: more would be refused by the queue of the listener. */
const together = 200;

/** Messages on their way at one time. */
const inFlight = 8;

/** Milliseconds in which all clients have joined, and have what was posted; a bound against waiting for ever, no measure. */
const patience = 120_000;

/** The request by which a client of each kind joins. */
const joinRequests = {
  SSE: "GET /events HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n",
  WebSocket:
    "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
} as const;

/** Connects clients to a server; `onData` receives the bytes that follow the head of the response. Rejects where they are not answered in time. */
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

/** Posts `messages` to a side with clients; the last of them in a round is known by the mark that follows it. */
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

/** A POST with a body, and with one header more where it is given. */
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
