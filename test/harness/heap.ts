import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Program } from "./processes.ts";

/**
 * Megabytes of this process's heap that are in use when garbage was collected: the least of several looks, as what is under
 * way comes on top at any moment.
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

/** Collects the garbage of this process now. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what that flag adds
  collect();
}

/** What a program is started with that is to be asked by `heapOf`. */
export const heapProbe = {
  NODE_OPTIONS: `--import ${pathToFileURL(`${import.meta.dirname}/heap-probe.ts`)}`,
} as const;

/** The same of a program that was started with `heapProbe`. */
export async function heapOf(program: Program): Promise<number> {
  const before = program.output().match(/^heap [\d.]+ MB$/gm)?.length ?? 0;
  program.process.kill("SIGUSR2");
  const [, megabytes] = await program.matching(
    new RegExp(`(?:^heap [\\d.]+ MB$[^]*?){${before}}^heap ([\\d.]+) MB$`, "m"),
  );
  return Number(megabytes);
}
