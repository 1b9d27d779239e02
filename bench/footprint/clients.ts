// Measures the memory of idle connected clients, compared with a hand-written server.

import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildGateway, freeListeners, gatewayListens } from "../built-gateway.ts";
import type { Figure } from "../compiling.ts";
import { joinClients } from "../endtoend/audience.ts";
import type { Audience } from "../endtoend/rows.ts";
import { type Side, type SideStart, startSide } from "../endtoend/side.ts";

const count = 8000;

/** Number of clients that connect before the measurement, so that loading and compiling code does not count. */
const countBefore = 200;

/** Maximum resident memory per client in bytes. */
const goal = 14 * 1024;

/** Milliseconds of idle time, in which the garbage collector runs. */
const rest = 3000;

/** Measures the memory of an idle client of each kind in bytes. */
export async function* measureClients(): AsyncGenerator<Figure> {
  const ours: SideStart = {
    command: process.execPath,
    args: [await buildGateway(join(import.meta.dirname, "../endtoend/documents/clients.yaml"))],
    env: freeListeners,
    ready: gatewayListens,
  };
  const byHand: SideStart = {
    command: process.execPath,
    args: [join(import.meta.dirname, "../by-hand/clients.ts")],
    ready: /listening on (\S+)/,
  };
  for (const kind of ["SSE", "WebSocket"] as const) {
    const [own, other] = [await bytesPerClient(ours, kind), await bytesPerClient(byHand, kind)];
    yield {
      name: `memory of one of ${count} idle ${kind} clients`,
      shown: `${kilobytes(own)} KB (at most ${kilobytes(goal)}); by hand ${kilobytes(other)} KB`,
      reached: own <= goal,
    };
  }
}

async function bytesPerClient(start: SideStart, kind: Audience["kind"]): Promise<number> {
  const side = await startSide(start);
  const sockets: Socket[] = [];
  try {
    if (side.address === undefined) throw new Error("the side did not report its address");
    await joinClients(side.address, { kind, count: countBefore, distribution: "broadcast" }, sockets);
    const before = await settledMemory(side);
    await joinClients(side.address, { kind, count, distribution: "broadcast" }, sockets);
    return ((await settledMemory(side)) - before) / count;
  } finally {
    for (const socket of sockets) socket.destroy();
    await side.stop();
  }
}

async function settledMemory(side: Side): Promise<number> {
  await wait(rest);
  return side.memory();
}

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}
