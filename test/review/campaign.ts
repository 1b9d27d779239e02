// What a campaign of `npm run review` is, and how its short form in `npm test` runs.

import * as assert from "uvu/assert";

/** Inputs made from a seed, tried on the real thing, to find one that breaks a claim of `docs/security.md`. */
export interface Campaign {
  /** What must hold, in one sentence. */
  readonly claim: string;
  /** Starts the gateways and brokers that all rounds share. */
  readonly prepare: () => Promise<PreparedCampaign>;
}

/** A campaign whose gateways and brokers run. */
export interface PreparedCampaign {
  /** Tries the inputs that `seed` decides, for about ten seconds at most; the same seed tries the same ones. */
  readonly round: (seed: number) => Promise<RoundResult>;
  readonly close: () => Promise<void>;
}

/** How many inputs a round tried, and those that broke the claim, each as text that says how to repeat it. */
export interface RoundResult {
  readonly attempts: number;
  readonly findings: readonly string[];
}

/** Runs one round for each seed, as a test does. Fails with what was found, or when nothing was tried. */
export async function expectNoFindings(campaign: Campaign, seeds: readonly number[]): Promise<void> {
  const prepared = await campaign.prepare();
  try {
    for (const seed of seeds) {
      const { attempts, findings } = await prepared.round(seed);
      assert.is(findings.join("\n"), "", `seed ${seed}: ${campaign.claim}`);
      assert.ok(attempts > 0, `seed ${seed} tried nothing`);
    }
  } finally {
    await prepared.close();
  }
}
