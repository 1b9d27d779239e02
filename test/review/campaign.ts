// The campaigns of `npm run review`, and how `npm test` runs their short forms.

import * as assert from "uvu/assert";

/**
 * A campaign tries inputs generated from a seed on the real system, to find one that violates a claim of
 * `docs/security.md`.
 */
export interface Campaign {
  /** What must hold, in one sentence. */
  readonly claim: string;
  /** Starts the gateways and brokers that all rounds share. */
  readonly prepare: () => Promise<PreparedCampaign>;
}

/** A campaign whose gateways and brokers are running. */
export interface PreparedCampaign {
  /** Tries the inputs for `seed`, for about ten seconds at most; the same seed tries the same inputs. */
  readonly round: (seed: number) => Promise<RoundResult>;
  readonly close: () => Promise<void>;
}

/**
 * The number of inputs that a round tried, and those that violated the claim, each as text that says how to repeat it.
 */
export interface RoundResult {
  readonly attempts: number;
  readonly findings: readonly string[];
}

/** Runs one round for each seed, as a test. Fails if there are findings, or if nothing was tried. */
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
