// POST → drop in several processes by node:cluster. `GW_WORKERS`: their number; 1 is a process without a primary.

import cluster from "node:cluster";
import { serve } from "./server.ts";

const workers = Number(process.env.GW_WORKERS);

if (workers === 1 || cluster.isWorker) serve((_body, answer) => answer(200));
else {
  let listening = 0;
  // What workers print is not shown: the first of them prints the address before the others listen.
  cluster.setupPrimary({ silent: true });
  cluster.on("listening", (_worker, { port }) => {
    listening += 1;
    if (listening === workers) console.log(`listening on http://127.0.0.1:${port}`);
  });
  for (let worker = 0; worker < workers; worker += 1) cluster.fork();
  process.on("SIGTERM", () => process.exit());
}
