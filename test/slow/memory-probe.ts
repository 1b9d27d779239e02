// Loaded into a gateway by `node --import`: answers how much memory the process uses, on a port of its own; at
// `/collected` after everything was collected that nothing refers to.

import { createServer } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what the flag brings

const server = createServer(({ url }, response) => {
  if (url === "/collected") collect();
  response.end(JSON.stringify(process.memoryUsage()));
});
server.listen(Number(process.env.MEMORY_PROBE_PORT), "127.0.0.1");
server.unref();
