// Loaded into programs by `heapProbe`: tells their heap on SIGUSR2. Only their main thread gets signals.

import { isMainThread } from "node:worker_threads";
import { collectedHeap } from "./heap.ts";

async function tell(): Promise<void> {
  console.log(`heap ${(await collectedHeap()).toFixed(2)} MB`);
}

if (isMainThread) process.on("SIGUSR2", () => void tell());
