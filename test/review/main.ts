// `npm run review`: campaigns in turn, each with a new seed per round, until the time is over. `--minutes N` bounds it (60),
// `--seed N` repeats a round first, and words choose campaigns (`-- growth --minutes 5`).

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

/** Every campaign runs at least one round, whatever time it takes. */
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

/** A round that breaks off is a finding, and costs the others nothing. */
function brokenRound(error: unknown): RoundResult {
  return { attempts: 1, findings: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
}

process.exitCode = await main();
