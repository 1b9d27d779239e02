// POST → drop over HTTP/2 with TLS, with the streams of plain `node:http2`.

import { readFileSync } from "node:fs";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { startListening } from "./server.ts";

const largestBody = 4 * 1024 * 1024;

const server = createSecureServer({
  cert: readFileSync(process.env.TLS_CERT ?? ""),
  key: readFileSync(process.env.TLS_KEY ?? ""),
});
server.on("stream", (stream, headers) => {
  // A client that breaks off ends its stream, and nothing else.
  stream.on("error", () => undefined);
  if (headers[":path"] !== "/in") return answer(stream, 404);
  if (headers[":method"] !== "POST") return answer(stream, 405);
  readBody(stream, () => answer(stream, 200));
});
startListening(server, "https");

function readBody(stream: ServerHttp2Stream, take: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > largestBody) answer(stream, 413);
    else chunks.push(chunk);
  });
  stream.on("end", () => {
    const [only] = chunks;
    const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    if (size <= largestBody) take(body);
  });
}

function answer(stream: ServerHttp2Stream, status: number): void {
  if (!stream.headersSent && !stream.closed)
    stream.respond({ ":status": status, "content-length": "0" }, { endStream: true });
}
