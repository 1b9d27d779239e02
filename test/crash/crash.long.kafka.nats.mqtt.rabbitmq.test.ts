import { test } from "uvu";
import * as assert from "uvu/assert";
import { startProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import { pairs } from "./pairs.ts";
import { runPair, type Trial } from "./run-pair.ts";
import { complaints } from "./verdict.ts";

// The short form of `npm run test:crash`, without restarts of brokers, which take most of its time. The test starts its
// own Kafka, since the gateway has to reach it through a proxy.
const kafka = await startProxiedKafka();
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
const crashes: Trial = {
  messages: 1200,
  seed,
  // The third kill hits a gateway that is starting.
  faults: { kills: 3, restarts: 0, cuts: 1, terminations: 0 },
};
const ends: Trial = { messages: 600, seed, faults: { kills: 0, restarts: 0, cuts: 0, terminations: 1 } };

for (const pair of pairs) {
  test(`${pair.name}: kills and disconnects lose nothing, and repeat only messages in flight (CRASH_SEED=${seed})`, async () => {
    const result = await runPair(pair, kafka, crashes);
    assert.equal(complaints(result), [], result.log);
    assert.is(result.faults.filter((kind) => kind.startsWith("kill")).length, 3);
  });

  test(`${pair.name}: SIGTERM loses nothing and repeats nothing (CRASH_SEED=${seed})`, async () => {
    const result = await runPair(pair, kafka, ends);
    assert.equal(complaints(result), [], result.log);
    assert.equal(result.exits, [0, 0]);
  });
}

test.after(() => kafka.stop());
test.run();
