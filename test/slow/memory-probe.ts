// Loaded into a gateway by `node --import`: answers how much memory the process uses, on a port of its own.

import { createServer } from "node:http";

const server = createServer((_, response) => {
  response.end(JSON.stringify(process.memoryUsage()));
});
server.listen(Number(process.env.MEMORY_PROBE_PORT), "127.0.0.1");
server.unref();
