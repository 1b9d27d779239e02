// Reads each bomb in turn and prints a line of what that cost: the name, milliseconds of this thread, megabytes.

import { readFileSync, writeFileSync } from "node:fs";
import { GatewayError } from "../../../runtime/errors.ts";
import { bombs } from "./bombs.ts";

const [, , list] = process.argv;
const chosen: readonly string[] | undefined = list === undefined ? undefined : JSON.parse(list);

/** The largest resident size since `resetPeak`, in megabytes. */
function peak(): number {
  const [, kilobytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** Linux counts the peak anew from here on. */
function resetPeak(): void {
  globalThis.gc?.();
  writeFileSync("/proc/self/clear_refs", "5");
}

for (const { name, prepare } of bombs.filter((bomb) => chosen?.includes(bomb.name) !== false)) {
  console.log(JSON.stringify({ name, begins: true }));
  const read = prepare();
  resetPeak();
  const before = peak();
  const start = process.threadCpuUsage();
  try {
    await read();
  } catch (error) {
    if (!(error instanceof GatewayError)) console.log(JSON.stringify({ name, error: String(error) }));
  }
  const { user, system } = process.threadCpuUsage(start);
  console.log(JSON.stringify({ name, milliseconds: (user + system) / 1000, megabytes: peak() - before }));
}
