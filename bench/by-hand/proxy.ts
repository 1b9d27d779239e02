// GET → upstream: `node:http` on both sides, with keep-alive connections.

import { Agent, request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";

const upstream = new URL(process.env.UPSTREAM ?? "");
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const { connection: _, host: __, ...headers } = request.headers;
  const call = ask(
    {
      agent,
      hostname: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: request.url,
      headers: { ...headers, "x-forwarded-for": request.socket.remoteAddress ?? "" },
    },
    (answer) => {
      const { connection: ___, "keep-alive": ____, ...fields } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, fields);
      answer.pipe(response);
    },
  );
  call.on("error", () => response.writeHead(502).end());
  request.pipe(call);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has this type of address
  console.log(`listening on http://127.0.0.1:${port}`);
});
process.on("SIGTERM", () => process.exit());
