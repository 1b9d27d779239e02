// Gateways in processes of their own that answer the same requests in turns within one run; what is compared is the CPU
// time that each has spent on them.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { RequestLoad } from "./endtoend/load.ts";
import { median } from "./measure.ts";

/** Sets of fresh processes: one that runs the same code may need a tenth more than another, from its start to its end. */
const sets = 5;
const rounds = 15;
const requestsPerRound = 1500;
/** Rounds before those that count: what a gateway runs is fully compiled after some ten thousand requests. */
const roundsBefore = 20;
const connections = 32;

export interface Comparison {
  /** What is compared, as it is printed. */
  readonly title: string;
  /** The program of all, in this folder: it tells its port when it serves, and its CPU time in microseconds when asked. */
  readonly program: string;
  /** The arguments by which the programs differ: without the feature, any steps in between, and with it. */
  readonly variants: readonly [string, ...(readonly string[]), string];
  /** A request that all answer with 200. */
  readonly request: string;
  /** The least speed of the last, of that of the first. */
  readonly goal: number;
}

/** What came of a comparison, as it is printed. */
export interface Compared {
  readonly name: string;
  readonly shown: string;
  readonly reached: boolean;
}

/** Measures gateways in processes of their own, in alternating rounds; the result is the median of several sets. */
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

/** What one set of processes needed. */
interface SetMeasured {
  /** Of the last variant, of that of the first. */
  readonly speed: number;
  /** Microseconds a request, by variant. */
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
  // Of two that were measured right after each other, as a busy machine slows both.
  const [first = []] = times;
  const speed = median(first.map((time, round) => time / (times.at(-1)?.[round] ?? Number.NaN)));
  return { speed, times: times.map(median) };
}

/** Measures and prints; with `--check` among the arguments the exit code is 1 where the goal is missed. */
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

/** CPU time of the gateway in microseconds per request. */
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
