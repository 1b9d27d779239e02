// Preloaded into a gateway (`node --import`): reports the memory usage of the process on a port of its own. `/collected`
// runs a full garbage collection first.

import { createServer } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // the flag `--expose-gc` adds it

const server = createServer(({ url }, response) => {
  if (url === "/collected") collect();
  response.end(JSON.stringify(process.memoryUsage()));
});
server.listen(Number(process.env.MEMORY_PROBE_PORT), "127.0.0.1");
server.unref();
