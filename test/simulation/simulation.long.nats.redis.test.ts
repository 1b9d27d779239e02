import { test } from "uvu";
import * as assert from "uvu/assert";
import { simulate } from "./simulation.ts";
import { brokenPromises } from "./verdict.ts";

// The short form of `npm run test:simulation`: each kind of fault once.
const seed = Number(process.env.SIMULATION_SEED ?? 7);

test(`three replicas keep their promises, whatever happens to them (SIMULATION_SEED=${seed})`, async () => {
  const schedule: string[] = [];
  const outcome = await simulate({
    seed,
    faults: 8,
    leases: "redis",
    note: (text) => void schedule.push(text),
  });
  assert.equal(brokenPromises(outcome), [], schedule.join("\n"));
  assert.ok(outcome.holdings.length > 1, "the lease changed its holder");
});

test.run();
