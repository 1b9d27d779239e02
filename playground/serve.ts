// Serves the playground on the local machine only.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pageHeaders } from "../runtime/http/page-document.ts";
import { playgroundHtml, playgroundPolicy, readPlayground, workerPolicy } from "./files.ts";
import type { StartingText } from "./starting.ts";

/** A running playground. */
export interface ServedPlayground {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves at a port of the loopback address; 0 chooses a free one. Rejects if the port is in use. Refuses requests
 * with another host name, so that no other site can read the document through a name that resolves to the loopback
 * address.
 */
export async function servePlayground(
  port: number,
  starting: StartingText | undefined,
): Promise<ServedPlayground> {
  // No compression, since the connection is local.
  const files = new Map(
    [...(await readPlayground()), ["", playgroundHtml], ["start.json", JSON.stringify(starting ?? null)]].map(
      ([name = "", text = ""]) => [name, Buffer.from(text)] as const,
    ),
  );
  const server = createServer(({ url = "/", method = "GET", headers }, response) => {
    const name = new URL(url, "http://127.0.0.1").pathname.slice(1);
    const file = files.get(name);
    const isOurs = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? "");
    const status = !isOurs
      ? 403
      : file === undefined
        ? 404
        : method === "GET" || method === "HEAD"
          ? 200
          : 405;
    if (status !== 200 || file === undefined) return void response.writeHead(status).end();
    response.writeHead(200, {
      ...pageHeaders,
      "content-type": typeOf(name),
      "content-security-policy":
        name === "worker.js" ? workerPolicy : `${playgroundPolicy}; frame-ancestors 'none'`,
      "cache-control": "no-cache",
      "content-length": file.length,
    });
    response.end(method === "HEAD" ? undefined : file);
  });
  await listening(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function typeOf(name: string): string {
  if (name === "") return "text/html; charset=utf-8";
  if (name.endsWith(".json")) return "application/json";
  return name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}
