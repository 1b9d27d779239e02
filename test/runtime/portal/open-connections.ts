// Connections of every kind that stay open, as clients of a protected API have them.

import { createServer, type ServerResponse } from "node:http";
import { WebSocketServer } from "ws";
import { broadcast } from "../../../runtime/clients/distribution.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { websocketServerInput } from "../../../runtime/connectors/websocket-server/input.ts";
import type { ApiDefinition } from "../../../runtime/gateway.ts";
import { type LoopbackServer, listenOnLoopback } from "../../harness/loopback-server.ts";
import { socket } from "../../harness/websocket-client.ts";
import { type ManualInput, type MemoryOutput, manualInput, memoryOutput } from "../gateway/components.ts";
import { ordersApi } from "../gateway/start-gateway.ts";

/** An open connection. */
export interface OpenConnection {
  readonly kind: string;
  /** What the client has got so far. */
  readonly got: readonly string[];
  /** Resolves with what the client sees of the end. */
  readonly ended: Promise<string>;
  /** Sends something, where the client may. */
  send?(text: string): void;
  close(): void;
}

/** A server whose answers and sockets stay open. Those to `/whole` have a length, and are complete with `finish`. */
export async function lastingUpstream(): Promise<LoopbackServer & { finish(): void }> {
  const begun: ServerResponse[] = [];
  const server = createServer(({ url }, response) => {
    if (url?.endsWith("/whole") !== true) response.writeHead(200).write("first\n");
    else {
      begun.push(response);
      response.writeHead(200, { "content-length": "12" }).write("not yet ");
    }
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (open) => open.send("first"));
  const finish = () => {
    for (const response of begun.splice(0)) response.end("all\n");
  };
  return { ...(await listenOnLoopback(server)), finish };
}

/** An API whose streams and upstream keep connections open, with what goes in and what came through. */
export interface LastingApi {
  readonly api: ApiDefinition;
  readonly feed: ManualInput;
  readonly received: MemoryOutput;
}

export function lastingApi(upstream: string): LastingApi {
  const feed = manualInput();
  const received = memoryOutput();
  const streams = {
    out: () => ({
      input: feed,
      output: httpServerOutput({
        path: "/next",
        stream_path: "/events",
        stream_format: "event_source",
        ws_path: "/socket",
        distribution: broadcast,
      }),
    }),
    in: () => ({ input: websocketServerInput({ path: "/in" }), output: received }),
  };
  return { api: ordersApi(streams, upstream), feed, received };
}

/** Opens a connection of each kind that stays open after a message, with that credential. */
export function openAll(url: string, headers: Readonly<Record<string, string>>): Promise<OpenConnection[]> {
  return Promise.all([
    openAnswer("events", `${url}/orders/events`, headers),
    openAnswer("proxied answer", `${url}/orders/upstream`, headers),
    openSocket("socket", `${url}/orders/socket`, headers),
    openSocket("sending socket", `${url}/orders/in`, headers),
    openSocket("proxied socket", `${url}/orders/upstream`, headers),
  ]);
}

/** Asks for one message, and does not wait for it. */
export function askForNext(url: string, headers: Readonly<Record<string, string>>): Promise<OpenConnection> {
  return openAnswer("long poll", `${url}/orders/next`, headers);
}

/** Opens an answer, and waits for its head where that comes without a message. */
export async function openAnswer(
  kind: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpenConnection> {
  const abort = new AbortController();
  const got: string[] = [];
  const asked = fetch(url, { headers, signal: abort.signal });
  const read = async () => {
    const response = await asked;
    try {
      for await (const chunk of response.body ?? []) got.push(Buffer.from(chunk).toString());
      return `${response.status} ${got.at(-1) ?? ""}`;
    } catch {
      return "cut";
    }
  };
  const ended = read().catch((error: unknown) => `not answered: ${String(error)}`);
  // A request that waits for a message has no answer yet.
  if (kind !== "long poll") await asked;
  return { kind, got, ended, close: () => abort.abort() };
}

async function openSocket(
  kind: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpenConnection> {
  const client = await socket(url, { headers });
  client.socket.on("error", () => undefined);
  return {
    kind,
    get got() {
      return client.messages.map(String);
    },
    ended: client.ended.then(({ code, reason }) => `${code} ${reason}`.trim()),
    send: (text) => client.socket.send(text),
    close: () => client.socket.terminate(),
  };
}
