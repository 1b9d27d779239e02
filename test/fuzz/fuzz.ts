// `npm run fuzz`: runs the campaigns with a new seed each day, for longer, until one has a finding. `-- mappings 20 7`
// runs those whose names contain the word, with twenty times the usual number of texts, starting at seed 7.

import { type CampaignName, campaigns } from "./campaigns.ts";
import { runWatched } from "./watched.ts";

const args = process.argv.slice(2);
const words = args.filter((arg) => !/^\d+$/.test(arg));
const [times = 10, first = Math.floor(Math.random() * 2 ** 31)] = args
  .filter((arg) => /^\d+$/.test(arg))
  .map(Number);
// The keys of the table are the names of the campaigns.
const names = (Object.keys(campaigns) as CampaignName[]).filter((name) =>
  words.every((word) => name.includes(word)),
);
let found = 0;

for (let seed = first; seed < first + times; seed++) {
  for (const name of names) {
    const { attempts, findings } = await runWatched(name, seed, 1);
    found += findings.length;
    console.log(`${name}, seed ${seed}: ${attempts.ran} ran, ${attempts.refused} refused`);
    for (const { text, problem } of findings) console.log(`${JSON.stringify(text)}\n${problem}\n`);
  }
}
if (names.length === 0) console.log(`no campaign has ${words.join(" and ")} in its name`);
console.log(`${found} findings`);
process.exitCode = found > 0 || names.length === 0 ? 1 : 0;
