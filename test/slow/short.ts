import { test } from "uvu";
import * as assert from "uvu/assert";
import { startProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import { scenarios } from "./scenarios.ts";
import { complaints } from "./verdict.ts";

// The short form of `npm run test:slow`: it still offers several times the amount that a gateway may hold.
const kafka = await startProxiedKafka();

for (const scenario of scenarios) {
  test(`${scenario.name}: memory stays bounded, and traffic continues afterwards`, async () => {
    const result = await scenario.run(kafka, { megabytes: 60, rate: 30 });
    assert.equal(complaints(result), [], result.log);
    assert.ok(result.offered > result.passed, "it was too quick to be a test of slowness");
  });
}

test.after(() => kafka.stop());
test.run();
