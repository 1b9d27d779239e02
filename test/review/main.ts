// `npm run review`: runs rounds of all campaigns in turn, each with a new seed, until the time is over. `--minutes N`
// sets the time (default 60), `--seed N` the first seed, to repeat a round, and words choose campaigns (`-- growth
// --minutes 5`).

import "../harness/patched-kafkajs.ts";
import { parseArgs } from "node:util";
import type { PreparedCampaign, RoundResult } from "./campaign.ts";
import { campaigns } from "./campaigns.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const deadline = Date.now() + Number(values.minutes) * 60_000;

interface Running {
  readonly name: string;
  readonly prepared: PreparedCampaign;
  attempts: number;
  findings: number;
}

async function main(): Promise<number> {
  const names = Object.keys(campaigns).filter((name) => positionals.every((word) => name.includes(word)));
  const running: Running[] = [];
  try {
    for (const name of names) {
      const campaign = await campaigns[name]?.();
      if (campaign === undefined) continue;
      console.log(`${name}: ${campaign.claim}`);
      running.push({ name, prepared: await campaign.prepare(), attempts: 0, findings: 0 });
    }
    await takeTurns(running, Number(values.seed));
  } finally {
    await Promise.allSettled(running.map(({ prepared }) => prepared.close()));
  }
  for (const { name, attempts, findings } of running) {
    console.log(`${name}: ${attempts} attempts, ${findings} findings`);
  }
  if (names.length === 0) console.log(`no campaign has ${positionals.join(" and ")} in its name`);
  return names.length > 0 && running.every(({ findings }) => findings === 0) ? 0 : 1;
}

/** Runs at least one round of every campaign, however long it takes. */
async function takeTurns(running: readonly Running[], firstSeed: number): Promise<void> {
  for (let seed = firstSeed; running.length > 0; seed++) {
    for (const one of running) {
      const { attempts, findings } = await one.prepared.round(seed).catch(brokenRound);
      one.attempts += attempts;
      one.findings += findings.length;
      for (const finding of findings) console.log(`${one.name}, seed ${seed}: ${finding}`);
    }
    if (Date.now() >= deadline) return;
  }
}

/** Returns the result of a round that failed: a finding, which does not stop the other campaigns. */
function brokenRound(error: unknown): RoundResult {
  return { attempts: 1, findings: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
}

process.exitCode = await main();
