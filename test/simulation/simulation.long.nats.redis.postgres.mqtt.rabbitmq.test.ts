import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharings, simulate } from "./simulation.ts";
import { brokenPromises } from "./verdict.ts";

// The short form of `npm run test:simulation`: each kind of fault once.
const seed = Number(process.env.SIMULATION_SEED ?? 7);

for (const [name, shared] of Object.entries(sharings)) {
  test(`three replicas that share ${name} keep their guarantees under faults (SIMULATION_SEED=${seed})`, async () => {
    const schedule: string[] = [];
    const outcome = await simulate({
      seed,
      faults: 8,
      leases: name === "streams" ? "redis" : "postgres",
      ...shared,
      note: (text) => void schedule.push(text),
    });
    assert.equal(brokenPromises(outcome), [], schedule.join("\n"));
    assert.ok(outcome.holdings.length > 1, "the lease changed its holder");
    if (shared.hasPortal) assert.ok((outcome.portal?.events ?? 0) > 0, "events were taken");
  });
}

test.run();
