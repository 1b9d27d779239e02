// `npm run test:crash`: runs every pair with all its messages and faults. `--messages N`, `--kills N`, `--seed N` and
// prefixes of pairs' names (`-- mqtt http`) narrow it. `--shapes N` gives each pair N random pipelines instead of the
// plain one.

import "../harness/patched-kafkajs.ts";
import { parseArgs } from "node:util";
import { createRandom } from "../fuzz/byte-mutator.ts";
import { startProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import { furtherPairs, pairs } from "./pairs.ts";
import { type PairResult, runPair, type Trial } from "./run-pair.ts";
import { shapePair } from "./shapes.ts";
import { complaints, renderTable } from "./verdict.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: "string", default: "20000" },
    kills: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    shapes: { type: "string", default: "0" },
  },
});
const [messages, kills, seed] = [Number(values.messages), Number(values.kills), Number(values.seed)];
const trials: readonly Trial[] = [
  { messages, seed, note: console.error, faults: { kills, restarts: 2, cuts: 6, terminations: 0 } },
  // Only the faults that preserve the order of keys.
  { messages, seed, note: console.error, faults: { kills, restarts: 0, cuts: 0, terminations: 0 } },
  { messages, seed, note: console.error, faults: { kills: 0, restarts: 0, cuts: 0, terminations: 5 } },
];

async function main(): Promise<number> {
  console.log(`seed ${seed}`);
  const wanted = [...pairs, ...furtherPairs].filter(
    ({ name }) =>
      positionals.length === 0 ||
      positionals.some((word) => name.toLowerCase().startsWith(word.toLowerCase())),
  );
  const random = createRandom(seed);
  const shaped = wanted.flatMap((pair) =>
    Array.from({ length: Number(values.shapes) }, () => shapePair(pair, random)),
  );
  const kafka = await startProxiedKafka();
  const results: PairResult[] = [];
  for (const trial of trials) {
    for (const pair of shaped.length > 0 ? shaped : wanted) {
      if ("shape" in pair) console.log(pair.shape);
      const result = await runPair(pair, kafka, trial);
      results.push(result);
      console.log(renderTable([result]));
      for (const complaint of complaints(result)) console.log(`${complaint}\n${result.log}`);
    }
  }
  await kafka.stop();
  console.log(`\n${renderTable(results)}\nseed ${seed}`);
  return results.length > 0 && results.every((result) => complaints(result).length === 0) ? 0 : 1;
}

process.exitCode = await main();
