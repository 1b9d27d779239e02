// `node bench/observed.ts`: what it costs a gateway to count for Prometheus. Two gateways, one of which counts, answer the same
// requests in turns within one run; what is compared is the CPU time that each has spent on them.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { median } from "./measure.ts";

const rounds = 31;
const requestsPerRound = 1500;
const connections = 32;
/** The least speed of the one that counts. */
const goal = 0.85;

const body = JSON.stringify({ id: 1, text: "x".repeat(180) });
const head = `POST /orders/in/1 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
const request = head + body;

const [silent, counting] = [await start("silent"), await start("prometheus")];
const times: Record<"silent" | "counting", number[]> = { silent: [], counting: [] };
for (const gateway of [silent, counting]) await timeOf(gateway, 5 * requestsPerRound); // warms up
for (let round = 0; round < rounds; round += 1) {
  const sides = [
    async () => times.silent.push(await timeOf(silent, requestsPerRound)),
    async () => times.counting.push(await timeOf(counting, requestsPerRound)),
  ];
  for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
}
const [without, withCounts] = [median(times.silent), median(times.counting)];
// Of the two that were measured right after each other, as a busy machine slows both.
const speed = median(times.silent.map((time, round) => time / (times.counting[round] ?? Number.NaN)));
const shown = `${without.toFixed(1)} µs a request without, ${withCounts.toFixed(1)} µs with`;
console.log(
  `${speed >= goal ? "    " : "miss"}  requests counted for Prometheus  ${speed.toFixed(2)} of the speed without (at least ${goal}); ${shown}`,
);
for (const { child, sockets } of [silent, counting]) {
  for (const socket of sockets) socket.destroy();
  child.disconnect();
}
process.exitCode = process.argv.includes("--check") && speed < goal ? 1 : 0;

interface Gateway {
  readonly child: ChildProcess;
  readonly sockets: readonly Socket[];
}

async function start(variant: string): Promise<Gateway> {
  const child = fork(join(import.meta.dirname, "observed-gateway.ts"), [variant]);
  const [port] = await once(child, "message");
  const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1").setNoDelay(true));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return { child, sockets };
}

/** CPU time of the gateway in microseconds per request. */
async function timeOf({ child, sockets }: Gateway, count: number): Promise<number> {
  const before = await spent(child);
  let left = count;
  const lane = async (socket: Socket) => {
    while (left-- > 0) {
      socket.write(request);
      const [answer] = await once(socket, "data");
      if (!String(answer).startsWith("HTTP/1.1 200 ")) throw new Error(String(answer));
    }
  };
  await Promise.all(sockets.map(lane));
  return ((await spent(child)) - before) / count;
}

async function spent(child: ChildProcess): Promise<number> {
  child.send("spent");
  const [microseconds] = await once(child, "message");
  return microseconds;
}
