// A campaign in a thread of its own. It tells what it tries in shared memory, which can still be read when the
// thread never comes back.

import { parentPort, workerData } from "node:worker_threads";
import { type CampaignName, campaigns } from "./campaigns.ts";

/** What a thread is given. */
export interface WorkerTask {
  readonly campaign: CampaignName;
  readonly seed: number;
  readonly count: number;
  /** The number of texts begun, then the length of the last one. */
  readonly progress: Int32Array;
  /** The last text begun, as far as it fits. */
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
