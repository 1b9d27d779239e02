import { setTimeout as pause } from "node:timers/promises";
import type { Range } from "../crash/source.ts";
import { chunkSize, type Pace, padding, sizeOf } from "./scenario.ts";

/**
 * Offers as many numbered messages as the pace says, chunk by chunk, and no faster than that: `give` resolves when a chunk
 * is taken. Gives how many were offered.
 */
export async function offer(
  { megabytes, rate }: Pace,
  give: (range: Range) => Promise<void>,
  first = 0,
): Promise<number> {
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  let next = first;
  while (sizeOf(next - first) < megabytes) {
    await give({ first: next, end: next + chunkSize, padding });
    next += chunkSize;
    const ahead = sizeOf(next - first) / rate - elapsed();
    if (ahead > 0) await pause(ahead * 1000);
  }
  return next - first;
}
