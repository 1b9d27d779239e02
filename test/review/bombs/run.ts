// Reads each bomb in turn and prints its cost in one line: the name, the CPU milliseconds of this thread, the
// milliseconds of a fixed piece of work measured at the same time, and megabytes.

import { readFileSync, writeFileSync } from "node:fs";
import { GatewayError } from "../../../runtime/errors.ts";
import { argumentBombs } from "./arguments.ts";
import { bombs as messages } from "./bombs.ts";

const bombs = [...messages, ...argumentBombs];
const [, , list] = process.argv;
const chosen: readonly string[] | undefined = list === undefined ? undefined : JSON.parse(list);

/** The largest resident size since `resetPeak`, in megabytes. */
function peak(): number {
  const [, kilobytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** Resets the peak that Linux counts. */
function resetPeak(): void {
  globalThis.gc?.();
  writeFileSync("/proc/self/clear_refs", "5");
}

/** Returns a function that returns the CPU milliseconds of this thread since the call. */
function stopwatch(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
}

/** Milliseconds for a fixed piece of work. Other load on the machine slows it down as much as the reading of a bomb. */
function yardstick(): number {
  const spent = stopwatch();
  let state = 1;
  for (let count = 0; count < 10_000_000; count += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return state === 0 ? 0 : spent();
}

for (const { name, prepare } of bombs.filter((bomb) => chosen?.includes(bomb.name) !== false)) {
  console.log(JSON.stringify({ name, begins: true }));
  const read = prepare();
  resetPeak();
  const before = peak();
  const spent = stopwatch();
  try {
    await read();
  } catch (error) {
    if (!(error instanceof GatewayError)) console.log(JSON.stringify({ name, error: String(error) }));
  }
  const [milliseconds, megabytes] = [spent(), peak() - before];
  console.log(JSON.stringify({ name, milliseconds, yardstick: yardstick(), megabytes }));
}
