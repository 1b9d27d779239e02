// Runs campaigns in threads and detects those that hang.

import { Worker } from "node:worker_threads";
import { type CampaignName, campaigns, type Tally } from "./campaigns.ts";
import type { WorkerTask } from "./worker.ts";

/** The seed of `npm test`; SLUICE_FUZZ_SEED sets another. */
export const seed = Number(process.env.SLUICE_FUZZ_SEED ?? 20261121);
/** Multiplies the number of texts that each campaign tries; SLUICE_FUZZ_FACTOR sets it. */
export const factor = Number(process.env.SLUICE_FUZZ_FACTOR ?? 1);

// Milliseconds. A text takes milliseconds: one that takes this long hangs, however busy the machine is.
const longestSilence = 120_000;
const interval = 1000;
const longestText = 1 << 20;

/** Returns the tally of a campaign. A text that hangs is a finding. Rejects if the thread fails. */
export async function runWatched(campaign: CampaignName, from = seed, times = factor): Promise<Tally> {
  const progress = new Int32Array(new SharedArrayBuffer(8));
  const text = new Uint8Array(new SharedArrayBuffer(longestText));
  const count = Math.ceil(campaigns[campaign].count * times);
  const task: WorkerTask = { campaign, seed: from, count, progress, text };
  const worker = new Worker(new URL("worker.ts", import.meta.url), { workerData: task });
  const last = () => Buffer.from(text.slice(0, Atomics.load(progress, 1))).toString("utf8");
  try {
    return await Promise.race([
      new Promise<Tally>((resolve, reject) => {
        worker.once("message", resolve);
        // The thread ran out of memory or stack: the text that it was processing shows the cause.
        worker.once("error", (error) =>
          reject(new Error(`${error.message} at\n${last()}`, { cause: error })),
        );
      }),
      silence(progress).then((): Tally => {
        const finding = { text: last(), problem: "it is never done" };
        return { attempts: { refused: 0, ran: 0 }, findings: [finding] };
      }),
    ]);
  } finally {
    await worker.terminate();
  }
}

/** Resolves when the number of texts started has not changed for `longestSilence`. */
async function silence(progress: Int32Array): Promise<void> {
  let begun = -1;
  let quiet = 0;
  while (quiet < longestSilence) {
    await new Promise((resolve) => setTimeout(resolve, interval).unref());
    const now = Atomics.load(progress, 0);
    quiet = now === begun ? quiet + interval : 0;
    begun = now;
  }
}
