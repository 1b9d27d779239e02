// The code shared by the hand-written programs: a server that accepts orders by POST, with plain `node:http`.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";

const largestBody = 4 * 1024 * 1024;

/** Handles one body. Calls `answer` with 200 when the message is safely stored at its destination. */
export type Take = (body: Buffer, answer: (status: number) => void, request: IncomingMessage) => void;

/** Serves `POST /in` and prints its address when it listens. */
export function serve(take: Take): void {
  const server = createServer((request, response) => {
    if (request.url !== "/in") return answer(response, 404);
    if (request.method !== "POST") return answer(response, 405);
    readBody(request, response, take);
  });
  startListening(server);
}

/** Listens on a free port, prints its address, and ends the process on SIGTERM. */
export function startListening(server: Server, scheme: "http" | "https" = "http"): void {
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo; // a listening TCP server has this type of address
    console.log(`listening on ${scheme}://127.0.0.1:${port}`);
  });
  process.on("SIGTERM", () => process.exit());
}

function readBody(request: IncomingMessage, response: ServerResponse, take: Take): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > largestBody) answer(response, 413);
    else chunks.push(chunk);
  });
  request.on("end", () => {
    const [only] = chunks;
    const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    if (size <= largestBody) take(body, (status) => answer(response, status), request);
  });
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": "0" }).end();
}

/** Sends the same status to all requests. */
export function answerAll(answers: readonly ((status: number) => void)[], status: number): void {
  for (const answer of answers) answer(status);
}
