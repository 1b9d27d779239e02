// Memory of clients that are connected and idle, beside a server written by hand.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildGateway, freeListeners, gatewayListens } from "../built-gateway.ts";
import type { Figure } from "../compiling.ts";
import { type Side, type SideStart, startSide } from "../endtoend/side.ts";

const count = 8000;

/** Clients that connect at one time: more would be refused by the queue of the listener. */
const together = 200;

/** Bytes of resident memory that a client may take. */
const goal = 14 * 1024;

/** Milliseconds for the collector of garbage, which runs when a process is idle. */
const rest = 3000;

const requests = {
  SSE: "GET /events HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n",
  WebSocket:
    "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
};

/** Bytes that an idle client of each kind takes. */
export async function* measureClients(): AsyncGenerator<Figure> {
  const ours: SideStart = {
    command: process.execPath,
    args: [await buildGateway(join(import.meta.dirname, "clients.yaml"))],
    env: freeListeners,
    ready: gatewayListens,
  };
  const byHand: SideStart = {
    command: process.execPath,
    args: [join(import.meta.dirname, "../by-hand/clients.ts")],
    ready: /listening on (\S+)/,
  };
  for (const kind of ["SSE", "WebSocket"] as const) {
    const [own, other] = [
      await bytesPerClient(ours, requests[kind]),
      await bytesPerClient(byHand, requests[kind]),
    ];
    yield {
      name: `memory of one of ${count} idle ${kind} clients`,
      shown: `${kilobytes(own)} KB (at most ${kilobytes(goal)}); by hand ${kilobytes(other)} KB`,
      reached: own <= goal,
    };
  }
}

async function bytesPerClient(start: SideStart, request: string): Promise<number> {
  const side = await startSide(start);
  const sockets: Socket[] = [];
  try {
    await open(side, request, together, sockets); // what is loaded and compiled for the first client counts for none
    const before = await settledMemory(side);
    await open(side, request, count, sockets);
    return ((await settledMemory(side)) - before) / count;
  } finally {
    for (const socket of sockets) socket.destroy();
    await side.stop();
  }
}

async function open({ address }: Side, request: string, wanted: number, sockets: Socket[]): Promise<void> {
  for (let opened = 0; opened < wanted; opened += together) {
    await Promise.all(
      Array.from({ length: together }, async () => {
        const socket = connect(Number(address?.port), address?.hostname);
        sockets.push(socket);
        await once(socket, "connect");
        socket.write(request);
        const [answer] = await once(socket, "data");
        if (!/^HTTP\/1\.1 (200|101) /.test(String(answer))) throw new Error(String(answer));
      }),
    );
  }
}

async function settledMemory(side: Side): Promise<number> {
  await wait(rest);
  return side.memory();
}

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}
