import { setTimeout as pause } from "node:timers/promises";
import type { Range } from "../crash/source.ts";
import { chunkSize, type Pace, padding, sizeOf } from "./scenario.ts";

/**
 * Offers numbered messages in chunks, as many and at most as fast as the pace says. `give` resolves when a chunk is taken.
 * Resolves with the number of messages offered.
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
