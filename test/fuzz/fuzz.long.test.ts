import { test } from "uvu";
import * as assert from "uvu/assert";
import { createRandom, mutate } from "./byte-mutator.ts";
import { type CampaignName, campaigns } from "./campaigns.ts";
import { factor, runWatched, seed } from "./watched.ts";

console.log(`seed ${seed}, ${factor} times the usual number of texts (SLUICE_FUZZ_SEED, SLUICE_FUZZ_FACTOR)`);

/** The share of texts that must compile and run, so that a campaign does not test refusals only. */
const leastRuns: Readonly<Record<CampaignName, number>> = {
  "generated mappings": 0.4,
  "generated templates": 0.4,
  "known values": 0.2,
  "mutated mappings": 0.1,
  "mutated templates": 0.1,
  "mutated documents": 0.02,
  // Three in a hundred on average: fewer than two of two hundred indicate a defect of the campaign, not chance.
  "mutated JSON": 0.01,
};

// The keys of the table are the names of the campaigns.
for (const name of Object.keys(campaigns) as CampaignName[]) {
  test(`${name} are rejected with diagnostics or run`, async () => {
    const { attempts, findings } = await runWatched(name);
    const found = findings.map(({ text, problem }) => `${JSON.stringify(text)}\n${problem}`);
    assert.is(found.join("\n\n"), "", `seed ${seed}`);
    const total = attempts.ran + attempts.refused;
    console.log(`${name}: ${attempts.ran} ran, ${attempts.refused} refused`);
    assert.ok(attempts.ran >= total * leastRuns[name], `${attempts.ran} of ${total} ran`);
  });
}

test("a seed reproduces its changes", () => {
  const bytes = new TextEncoder().encode("root.a = this.b.uppercase()");
  const changes = (from: number) => {
    const random = createRandom(from);
    return Array.from({ length: 50 }, () => Buffer.from(mutate(bytes, [bytes], random)).toString("hex"));
  };
  assert.equal(changes(7), changes(7));
  assert.ok(new Set(changes(7)).size > 40);
  assert.not.equal(changes(7), changes(8));
});

test.run();
