// `npm run test:slow`: runs each scenario for ten minutes, or for `--minutes N`, and offers `--rate N` MB a second. Words
// select the scenarios whose names contain them (`-- stuck mqtt`).

import "../harness/patched-kafkajs.ts";
import { parseArgs } from "node:util";
import { startProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import type { ScenarioResult } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { complaints, renderTable } from "./verdict.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "10" }, rate: { type: "string", default: "2" } },
});

async function main(): Promise<number> {
  const rate = Number(values.rate);
  const pace = { megabytes: Number(values.minutes) * 60 * rate, rate };
  const wanted = scenarios.filter(({ name }) =>
    positionals.every((word) => name.toLowerCase().includes(word.toLowerCase())),
  );
  const kafka = await startProxiedKafka();
  const results: ScenarioResult[] = [];
  for (const scenario of wanted) {
    const result = await scenario.run(kafka, pace);
    results.push(result);
    console.log(renderTable([result]));
    for (const complaint of complaints(result)) console.log(`${complaint}\n${result.log}`);
  }
  await kafka.stop();
  console.log(`\n${renderTable(results)}`);
  return results.length > 0 && results.every((result) => complaints(result).length === 0) ? 0 : 1;
}

process.exitCode = await main();
