// Compares gateways in processes of their own, which handle the same requests alternately in one run, by the CPU
// time they use.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { RequestLoad } from "./endtoend/load.ts";
import { median } from "./measure.ts";

/** Number of sets of new processes: processes running the same code may differ by a tenth over their lifetime. */
const sets = 5;
const rounds = 15;
const requestsPerRound = 1500;
/** Number of warm-up rounds: a gateway is fully optimised after some ten thousand requests. */
const roundsBefore = 20;
const connections = 32;

export interface Comparison {
  /** The title in the output. */
  readonly title: string;
  /** The program in this folder. It sends its port when it is ready, and its CPU time in microseconds on request. */
  readonly program: string;
  /** The arguments of the programs: without the feature, any intermediate steps, and with it. */
  readonly variants: readonly [string, ...(readonly string[]), string];
  /** A request to which all respond with 200. */
  readonly request: string;
  /** Minimum speed of the last variant relative to the first. */
  readonly goal: number;
}

/** The result of a comparison, for the output. */
export interface Compared {
  readonly name: string;
  readonly shown: string;
  readonly reached: boolean;
}

/** Compares gateways in processes of their own, in alternating rounds. Returns the median of several sets. */
export async function measureGateways(comparison: Comparison): Promise<Compared> {
  const { title, variants, goal } = comparison;
  const measured: SetMeasured[] = [];
  for (let set = 0; set < sets; set += 1) measured.push(await measureSet(comparison));
  const speeds = measured.map(({ speed }) => speed).sort((one, other) => one - other);
  const speed = median(speeds);
  const shown = variants.map((variant, index) => {
    const own = measured.map(({ times }) => times[index] ?? Number.NaN);
    return `${variant} ${median(own).toFixed(1)}`;
  });
  const spread = `${speeds[0]?.toFixed(2)} to ${speeds.at(-1)?.toFixed(2)}`;
  return {
    name: title,
    shown: `${speed.toFixed(2)} of the speed without (at least ${goal}; ${spread}); µs a request: ${shown.join(", ")}`,
    reached: speed >= goal,
  };
}

/** The measurements of one set of processes. */
interface SetMeasured {
  /** The speed of the last variant relative to the first. */
  readonly speed: number;
  /** Microseconds per request, by variant. */
  readonly times: readonly number[];
}

async function measureSet({ program, variants, request }: Comparison): Promise<SetMeasured> {
  const gateways = await Promise.all(variants.map((variant) => start(program, variant, request)));
  const times: number[][] = variants.map(() => []);
  for (let round = -roundsBefore; round < rounds; round += 1) {
    const inTurn = gateways.map((gateway, index) => ({ gateway, own: times[index] }));
    for (const { gateway, own } of round % 2 === 0 ? inTurn : inTurn.reverse()) {
      const time = await timeOf(gateway, requestsPerRound);
      if (round >= 0) own?.push(time);
    }
  }
  for (const { child, load } of gateways) {
    load.close();
    child.disconnect();
  }
  // Compares measurements made directly after each other, since a busy machine slows down both.
  const [first = []] = times;
  const speed = median(first.map((time, round) => time / (times.at(-1)?.[round] ?? Number.NaN)));
  return { speed, times: times.map(median) };
}

/** Compares and prints the result. With the argument `--check`, the exit code is 1 if the goal is missed. */
export async function compareGateways(comparison: Comparison): Promise<void> {
  const { name, shown, reached } = await measureGateways(comparison);
  console.log(`${reached ? "    " : "miss"}  ${name}  ${shown}`);
  process.exitCode = process.argv.includes("--check") && !reached ? 1 : 0;
}

interface Gateway {
  readonly child: ChildProcess;
  readonly load: RequestLoad;
}

async function start(program: string, variant: string, request: string): Promise<Gateway> {
  const child = fork(join(import.meta.dirname, program), [variant]);
  const [port] = await once(child, "message");
  const address = new URL(`http://127.0.0.1:${port}`);
  return { child, load: await RequestLoad.open(address, [Buffer.from(request)], connections) };
}

/** Returns the gateway's CPU time in microseconds per request. */
async function timeOf({ child, load }: Gateway, count: number): Promise<number> {
  const before = await spent(child);
  await load.send(count);
  return ((await spent(child)) - before) / count;
}

async function spent(child: ChildProcess): Promise<number> {
  child.send("spent");
  const [microseconds] = await once(child, "message");
  return microseconds;
}
