// GET → upstream: `node:http` on both sides, with keep-alive connections.

import { Agent, request as ask, createServer } from "node:http";
import { startListening } from "./server.ts";

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
startListening(server);
