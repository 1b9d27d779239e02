// Two gateways in processes of their own that answer the same requests in turns within one run; what is compared is the CPU
// time that each has spent on them.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { median } from "./measure.ts";

const rounds = 31;
const requestsPerRound = 1500;
const connections = 32;

export interface Comparison {
  /** What is compared, as it is printed. */
  readonly title: string;
  /** The program of both, in this folder: it tells its port when it serves, and its CPU time in microseconds when asked. */
  readonly program: string;
  /** What the program is told, by which the two differ. */
  readonly without: string;
  readonly with: string;
  /** A request that both answer with 200. */
  readonly request: string;
  /** The least speed of the second, of that of the first. */
  readonly goal: number;
}

/** Measures and prints; with `--check` among the arguments the exit code is 1 where the goal is missed. */
export async function compareGateways(comparison: Comparison): Promise<void> {
  const { title, program, request, goal } = comparison;
  const gateways = [await start(program, comparison.without), await start(program, comparison.with)] as const;
  const times: [number[], number[]] = [[], []];
  for (const gateway of gateways) await timeOf(gateway, request, 5 * requestsPerRound); // warms up
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[side].push(await timeOf(gateways[side], request, requestsPerRound));
    }
  }
  // Of the two that were measured right after each other, as a busy machine slows both.
  const speed = median(times[0].map((time, round) => time / (times[1][round] ?? Number.NaN)));
  const shown = times.map((each) => median(each).toFixed(1));
  console.log(
    `${speed >= goal ? "    " : "miss"}  ${title}  ${speed.toFixed(2)} of the speed without (at least ${goal}); ${shown[0]} µs a request without, ${shown[1]} µs with`,
  );
  for (const { child, sockets } of gateways) {
    for (const socket of sockets) socket.destroy();
    child.disconnect();
  }
  process.exitCode = process.argv.includes("--check") && speed < goal ? 1 : 0;
}

interface Gateway {
  readonly child: ChildProcess;
  readonly sockets: readonly Socket[];
}

async function start(program: string, variant: string): Promise<Gateway> {
  const child = fork(join(import.meta.dirname, program), [variant]);
  const [port] = await once(child, "message");
  const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1").setNoDelay(true));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return { child, sockets };
}

/** CPU time of the gateway in microseconds per request. */
async function timeOf({ child, sockets }: Gateway, request: string, count: number): Promise<number> {
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
