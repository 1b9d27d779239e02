// Preloaded into programs by `heapProbe`: prints their heap size on SIGUSR2. Only the main thread receives signals.

import { isMainThread } from "node:worker_threads";
import { collectedHeap } from "./heap.ts";

async function tell(): Promise<void> {
  console.log(`heap ${(await collectedHeap()).toFixed(2)} MB`);
}

if (isMainThread) process.on("SIGUSR2", () => void tell());
