// One of the programs that are compared: a process of its own on a processor of its own.

import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { findProgram, type Program, start } from "../../test/harness/processes.ts";

/** How a program is started, and how it tells that it serves. */
export interface SideStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Matches its output once it serves; the first group is its address, where it has one and it is not `address`. */
  readonly ready: RegExp;
  readonly address?: string;
  /** The processors that it is pinned to, as `taskset` names them; the first by default. */
  readonly processors?: string;
}

/** A program that serves. */
export interface Side {
  /** Where it takes requests. */
  readonly address: URL | undefined;
  /** CPU time of all threads of it and of the processes that it started, in microseconds, by the kernel. */
  cpu(): number;
  /** Largest resident memory since its start, in bytes. */
  peakMemory(): number;
  /** Resident memory now, in bytes. */
  memory(): number;
  /** Milliseconds from its start until it served. */
  readonly startTime: number;
  stop(): Promise<void>;
}

/** Starts a program on processors of its own, where there are several; the load runs on the others. */
export async function startSide(options: SideStart): Promise<Side> {
  const { command, args, env = {}, ready, address, processors = "0" } = options;
  const began = performance.now();
  const pinned = availableParallelism() > 1 && findProgram("taskset") !== undefined;
  const program: Program = pinned
    ? start("taskset", ["-c", processors, command, ...args], { env })
    : start(command, args, { env });
  const [, told] = await program.matching(ready);
  const serving = address ?? told;
  const { pid } = program.process;
  return {
    address: serving === undefined ? undefined : new URL(serving),
    startTime: performance.now() - began,
    cpu: () => cpuOf(Number(pid)),
    peakMemory: () => statusOf(pid, "VmHWM"),
    memory: () => statusOf(pid, "VmRSS"),
    stop: async () => {
      await program.stop();
    },
  };
}

/** A line of the kernel's account of a process, in bytes. */
function statusOf(pid: number | undefined, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Of all threads of a process, and of its children. */
function cpuOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const read = (name: string) => readFileSync(`/proc/${pid}/task/${task}/${name}`, "utf8");
    const own = Number(read("schedstat").split(" ", 1)[0]) / 1000;
    const children = read("children").split(" ").filter(Boolean).map(Number);
    return sum + own + children.reduce((others, child) => others + cpuOf(child), 0);
  }, 0);
}
