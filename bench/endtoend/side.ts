// Starts one of the compared programs: a process pinned to its own processor.

import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { findProgram, type Program, start } from "../../test/harness/processes.ts";

/** How to start a program, and how to detect that it is ready. */
export interface SideStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Matches its output when it is ready; the first group is its address, unless `address` is set. */
  readonly ready: RegExp;
  readonly address?: string;
  /** The processors to which it is pinned, in the notation of `taskset`; the first by default. */
  readonly processors?: string;
}

/** A running program. */
export interface Side {
  /** Its address for requests. */
  readonly address: URL | undefined;
  /** Returns the CPU time of all its threads and child processes in microseconds, according to the kernel. */
  cpu(): number;
  /** Returns its maximum resident memory in bytes. */
  peakMemory(): number;
  /** Returns its current resident memory in bytes. */
  memory(): number;
  /** Milliseconds from its start until it was ready. */
  readonly startTime: number;
  stop(): Promise<void>;
}

/** Starts a program pinned to its processors if there are several; the load generator runs on the others. */
export async function startSide(options: SideStart): Promise<Side> {
  const { command, args, env = {}, ready, address, processors = "0" } = options;
  const began = performance.now();
  const pinned = availableParallelism() > 1 && findProgram("taskset") !== undefined;
  const program: Program = pinned
    ? start("taskset", ["-c", processors, command, ...args], { env })
    : start(command, args, { env });
  const [, reported] = await program.matching(ready);
  const serving = address ?? reported;
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

/** Returns a value of `/proc/PID/status` in bytes. */
function statusOf(pid: number | undefined, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Returns the CPU time of all threads of a process and of its children. */
function cpuOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const read = (name: string) => readFileSync(`/proc/${pid}/task/${task}/${name}`, "utf8");
    const own = Number(read("schedstat").split(" ", 1)[0]) / 1000;
    const children = read("children").split(" ").filter(Boolean).map(Number);
    return sum + own + children.reduce((others, child) => others + cpuOf(child), 0);
  }, 0);
}
