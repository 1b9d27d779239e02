// `npm run test:simulation`: three replicas for each store of leases. `--faults N` sets the number of faults, `--seed
// N` which ones, `--shares brokers` makes them share Kafka, RabbitMQ, Mosquitto and a portal, and words choose stores
// (`-- redis`).

import "../harness/patched-kafkajs.ts";
import { parseArgs } from "node:util";
import { leaseStores } from "./gateway-set.ts";
import { sharings, simulate } from "./simulation.ts";
import { brokenPromises } from "./verdict.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    faults: { type: "string", default: "40" },
    shares: { type: "string", default: "streams" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [faults, seed] = [Number(values.faults), Number(values.seed)];
const shared = sharings[values.shares as keyof typeof sharings];
if (shared === undefined) throw new Error(`--shares is one of ${Object.keys(sharings).join(", ")}`);
const stores = leaseStores.filter((store) => positionals.length === 0 || positionals.includes(store));

console.log(`seed ${seed}`);
let broken = 0;
for (const leases of stores) {
  const begin = performance.now();
  const outcome = await simulate({
    seed,
    faults,
    leases,
    ...shared,
    note: (text) => console.log(`${leases}: ${text}`),
  });
  const promises = brokenPromises(outcome);
  broken += promises.length;
  const { beats, holdings, granted, quota, uncertain, portal } = outcome;
  console.log(
    `${leases}: ${faults} faults in ${((performance.now() - begin) / 1000).toFixed(0)} s, ` +
      `${beats.length} messages of the generator in ${holdings.length} holdings, ` +
      `${granted} of ${quota} granted and ${uncertain} uncertain; ` +
      (portal === undefined
        ? ""
        : `${portal.events} events and ${portal.developers} developers, ${portal.repeated} webhooks again; `) +
      `${promises.length === 0 ? "every promise held" : promises.join("; ")}`,
  );
}
console.log(`seed ${seed}`);
process.exit(stores.length > 0 && broken === 0 ? 0 : 1);
