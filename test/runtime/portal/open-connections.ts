// Connections of every kind that clients of a protected API keep open.

import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { request as secureRequest } from "node:https";
import { text } from "node:stream/consumers";
import { WebSocketServer } from "ws";
import { broadcast } from "../../../runtime/clients/distribution.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { portalWebhookOutput } from "../../../runtime/connectors/portal-webhook/output.ts";
import { websocketServerInput } from "../../../runtime/connectors/websocket-server/input.ts";
import type { ApiDefinition } from "../../../runtime/gateway.ts";
import { type LoopbackServer, listenOnLoopback } from "../../harness/loopback-server.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { type ManualInput, type MemoryOutput, manualInput, memoryOutput } from "../gateway/components.ts";
import { ordersApi } from "../gateway/start-gateway.ts";

/** An open connection. */
export interface OpenConnection {
  readonly kind: string;
  /** What the client has received so far. */
  readonly got: readonly string[];
  /** Resolves with what the client sees when the connection ends. */
  readonly ended: Promise<string>;
  /** Sends a text, if the client can. */
  send?(text: string): void;
  close(): void;
}

/**
 * Starts a server whose responses and sockets stay open. Responses at `/whole` have a length; `finish` completes them.
 */
export async function lastingUpstream(): Promise<LoopbackServer & { finish(): void }> {
  const begun: ServerResponse[] = [];
  const server = createServer(({ url = "" }, response) => {
    if (url.endsWith("/whole")) {
      begun.push(response);
      response.writeHead(200, { "content-length": "12" }).write("not yet ");
    } else if (url.includes("/events")) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(url.endsWith("/begun") ? "data: first\r\n\r\ndata: beg" : "data: first\n\n");
    } else response.writeHead(200).write("first\n");
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (open, { url = "" }) => {
    open.send("first");
    // A part of a frame with a length of two bytes.
    if (url.endsWith("/begun"))
      setImmediate(() => Object(open)._socket.write(Buffer.from([0x82, 126, 1, 0, 7])));
  });
  const finish = () => {
    for (const response of begun.splice(0)) response.end("all\n");
  };
  return { ...(await listenOnLoopback(server)), finish };
}

/** An API whose streams and upstream keep connections open, with its inputs and the messages that it accepted. */
export interface LastingApi {
  readonly api: ApiDefinition;
  readonly feed: ManualInput;
  readonly received: MemoryOutput;
  /** The input whose messages are sent to webhooks. */
  readonly told: ManualInput;
}

/** `hasPortal`: whether the API also notifies webhooks, which a gateway without a portal cannot do. */
export function lastingApi(upstream: string, hasPortal = false): LastingApi {
  const feed = manualInput();
  const received = memoryOutput();
  const told = manualInput();
  const streams = {
    out: () => ({
      input: feed,
      output: httpServerOutput({
        path: "/next",
        timeout: 600_000,
        stream_path: "/events",
        stream_format: "event_source",
        ws_path: "/socket",
        distribution: broadcast,
      }),
    }),
    in: () => ({ input: websocketServerInput({ path: "/in" }), output: received }),
    ...(hasPortal && {
      tell: () => ({ input: told, output: portalWebhookOutput({ event_type: "order.made" }) }),
    }),
  };
  return { api: ordersApi(streams, upstream), feed, received, told };
}

/** A client: the header fields with its credential, and the TLS options if the server uses TLS. */
export interface Client {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
}

/** Opens with that credential a connection of each kind that stays open after a message. */
export function openAll(url: string, client: Client): Promise<OpenConnection[]> {
  return Promise.all([
    openAnswer("events", `${url}/orders/events`, client),
    openAnswer("proxied answer", `${url}/orders/upstream`, client),
    openSocket("socket", `${url}/orders/socket`, client),
    openSocket("sending socket", `${url}/orders/in`, client),
    openSocket("proxied socket", `${url}/orders/upstream`, client),
    openAnswer("proxied events", `${url}/orders/upstream/events`, client),
  ]);
}

/** Makes the upstream begin an event and a frame that it does not complete. */
export function openBegun(url: string, client: Client): Promise<OpenConnection[]> {
  return Promise.all([
    openAnswer("begun event", `${url}/orders/upstream/events/begun`, client),
    openSocket("begun frame", `${url}/orders/upstream/begun`, client),
  ]);
}

/** Requests one message without waiting for it. */
export function askForNext(url: string, client: Client): Promise<OpenConnection> {
  return openAnswer("long poll", `${url}/orders/next`, client);
}

/** Returns the status of the response at an address. */
export async function statusAt(url: string, client: Client): Promise<number> {
  const { answered, outgoing } = get(url, client);
  const { statusCode = 0 } = await answered;
  outgoing.destroy();
  return statusCode;
}

/** Returns the body of the response to a form. */
export async function post(
  url: string,
  form: string,
  { headers, tls = { ca: "" } }: Client,
): Promise<string> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const outgoing = secureRequest(url, {
    ...tls,
    method: "POST",
    headers: { ...headers, ...type },
    agent: false,
  });
  outgoing.end(form);
  const [answer] = await once(outgoing, "response");
  return text(answer);
}

/** Sends a request on its own connection, so that it does not use another client's certificate. */
function get(
  url: string,
  { headers, tls = { ca: "" } }: Client,
): { readonly outgoing: ClientRequest; readonly answered: Promise<IncomingMessage> } {
  const outgoing = url.startsWith("https:")
    ? secureRequest(url, { ...tls, headers, agent: false })
    : request(url, { headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve).on("error", reject).end();
  });
  return { outgoing, answered };
}

/** Opens a response. Waits for its head, if the head is sent before the first message. */
export async function openAnswer(kind: string, url: string, client: Client): Promise<OpenConnection> {
  const got: string[] = [];
  const { outgoing, answered } = get(url, client);
  const read = async () => {
    const response = await answered;
    try {
      for await (const chunk of response) got.push(chunk.toString());
      return `${response.statusCode} ${got.at(-1) ?? ""}`;
    } catch {
      return "cut";
    }
  };
  const ended = read().catch((error: unknown) => `not answered: ${String(error)}`);
  // A request that waits for a message has no response yet.
  if (kind !== "long poll") await answered;
  return { kind, got, ended, close: () => outgoing.destroy() };
}

async function openSocket(
  kind: string,
  url: string,
  { headers, tls = { ca: "" } }: Client,
): Promise<OpenConnection> {
  const client = await socket(url, { headers, ...(url.startsWith("https:") && tls) });
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

/** Opens a session at the page. The client notices its end when it requests the user of the session. */
export function openSession(url: string, client: Client): OpenConnection {
  const ends = async () => {
    const status = await until(
      async () => {
        const found = await statusAt(`${url}/portal/own/me`, client);
        return found !== 200 && found;
      },
      { what: "the end of the session" },
    );
    return String(status);
  };
  return { kind: "session", got: [], ended: ends(), close() {} };
}
