import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Program } from "./processes.ts";

/**
 * Returns the megabytes of this process's heap that are in use after garbage collection: the minimum of several
 * measurements, because work in progress adds to each of them.
 */
export async function collectedHeap(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look += 1) {
    collectGarbage();
    least = Math.min(least, process.memoryUsage().heapUsed);
    await pause(50);
  }
  return least / 1024 / 1024;
}

/** Collects the garbage of this process immediately: all of it, or that of the young generation. */
export function collectGarbage(type: "major" | "minor" = "major"): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { type: string }) => void; // the flag adds this function
  collect({ type });
}

/** The environment with which to start a program that `heapOf` measures. */
export const heapProbe = {
  NODE_OPTIONS: `--import ${pathToFileURL(`${import.meta.dirname}/heap-probe.ts`)}`,
} as const;

/** Like `collectedHeap`, for a program that was started with `heapProbe`. */
export async function heapOf(program: Program): Promise<number> {
  const before = program.output().match(/^heap [\d.]+ MB$/gm)?.length ?? 0;
  program.process.kill("SIGUSR2");
  const [, megabytes] = await program.matching(
    new RegExp(`(?:^heap [\\d.]+ MB$[^]*?){${before}}^heap ([\\d.]+) MB$`, "m"),
  );
  return Number(megabytes);
}
