// Runs a campaign in its own thread. It writes the text under test to shared memory, so that the main thread can still
// read it if this thread hangs.

import { parentPort, workerData } from "node:worker_threads";
import { type CampaignName, campaigns } from "./campaigns.ts";

/** The `workerData` of a campaign thread. */
export interface WorkerTask {
  readonly campaign: CampaignName;
  readonly seed: number;
  readonly count: number;
  /** The number of texts started, followed by the length in bytes of the latest one. */
  readonly progress: Int32Array;
  /** The latest text started, truncated to the size of the buffer. */
  readonly text: Uint8Array;
}

// Only `watched.ts` starts this file.
const { campaign, seed, count, progress, text } = workerData as WorkerTask;
process.env.TZ = "UTC";

const tally = await campaigns[campaign].run(seed, count, (tried) => {
  const { written } = new TextEncoder().encodeInto(tried, text);
  Atomics.store(progress, 1, written);
  Atomics.add(progress, 0, 1);
});
parentPort?.postMessage(tally);
